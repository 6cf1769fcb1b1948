-- A spool of schema 3, made by the code that had it.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    password_hash TEXT NOT NULL,
    operator INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    revoked_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;
CREATE TABLE domains (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    token TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    removed_at_ms INTEGER,
    verified INTEGER NOT NULL,
    checks TEXT NOT NULL,
    next_check_at_ms INTEGER NOT NULL,
    selector TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sealed_private_key BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX domains_bound ON domains (account_id, name) WHERE removed_at_ms IS NULL;
CREATE INDEX domains_due ON domains (next_check_at_ms) WHERE removed_at_ms IS NULL;
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    domain_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    sender TEXT NOT NULL,
    subject TEXT NOT NULL,
    message_id TEXT NOT NULL,
    size_bytes INTEGER NOT NULL
  ) STRICT;
CREATE TABLE contents (
    seq INTEGER PRIMARY KEY REFERENCES messages (seq),
    content BLOB NOT NULL
  ) STRICT;
CREATE TABLE recipients (
    seq INTEGER NOT NULL REFERENCES messages (seq),
    position INTEGER NOT NULL,
    email TEXT NOT NULL,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_ms INTEGER,
    updated_at_ms INTEGER NOT NULL,
    smtp TEXT,
    mark TEXT,
    PRIMARY KEY (seq, position),
    CHECK (state IN ('pending', 'marked', 'delivered', 'failed', 'unknown')),
    CHECK ((state = 'pending') = (next_attempt_at_ms IS NOT NULL)),
    CHECK ((state = 'marked') = (mark IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
CREATE INDEX recipients_waiting ON recipients (account_id, domain, next_attempt_at_ms, seq) WHERE state = 'pending';
CREATE INDEX recipients_marked ON recipients (seq) WHERE state = 'marked';
CREATE INDEX recipients_unknown ON recipients (account_id, seq) WHERE state = 'unknown';
CREATE TABLE events (
    seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (seq, position, number)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency (
    account_id TEXT NOT NULL,
    key TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    message_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at_ms);
CREATE TABLE quota (
    account_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sts_policies (
    domain TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    mode TEXT NOT NULL,
    mx TEXT NOT NULL,
    fetched_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    CHECK (mode IN ('enforce', 'testing', 'none'))
  ) STRICT, WITHOUT ROWID;
CREATE INDEX sts_policies_expiry ON sts_policies (expires_at_ms);
CREATE TABLE notes (
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_default','default',1795257943893);
INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_second','second',1790000000000);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms) VALUES ('usr_ydiqbNVyJBKJJgSj','ann@shop.example','acc_default','scrypt$65536$8$1$UkJya90xj3mnN9IMAubRBg==$mG/l85Xwn+Qi+VI1nj0meVOK7CYCFDEaS15gqeKgiLo=',1,1795257945842);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms) VALUES ('key_k1NRWZsLEC_1b1jJ','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795257946774,1795257952849,NULL);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_a641aT0ZweVAk9oD','acc_default','shop.example','3EUoU8UFHlwrqphC4J5IRpiP3CvqIMcA',1795257946053,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=3EUoU8UFHlwrqphC4J5IRpiP3CvqIMcA","found":["postrider-verification=3EUoU8UFHlwrqphC4J5IRpiP3CvqIMcA"],"checkedAtMs":1795257946053,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795257946053,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795257946053,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr57ec1023._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqyuI/AGXFvLdTXOyYz0xKMlGMHB6HtV/MjGMV6A8qSNy8SFpXBQdTTOg2PbJASy/ewRYLlmNppqfTTqLvPLm3ZBwjr45+GJW4jf3A+iLXyeJynqXZzqTx/0R4g5mRVYtvHi9LVRU6BUNX79n8gofOTYcWm/U2iegyCq4uTBLlZdJeSJqMrnAfqd6hX2YQtrgbdgST+E8EAhUVBxTdNhopP9nx6ZSjPja8C1TePqpAow0rzZZEtcvEbsdBeQ/63T4GyMzmhAl1NDf9Ls6d6QS11X/NeG0gp6Mck65YHEl6AIB52/Xlass7MKOTEa/QUpufs0u7oKKIUKEryIh+rVSsQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqyuI/AGXFvLdTXOyYz0xKMlGMHB6HtV/MjGMV6A8qSNy8SFpXBQdTTOg2PbJASy/ewRYLlmNppqfTTqLvPLm3ZBwjr45+GJW4jf3A+iLXyeJynqXZzqTx/0R4g5mRVYtvHi9LVRU6BUNX79n8gofOTYcWm/U2iegyCq4uTBLlZdJeSJqMrnAfqd6hX2YQtrgbdgST+E8EAhUVBxTdNhopP9nx6ZSjPja8C1TePqpAow0rzZZEtcvEbsdBeQ/63T4GyMzmhAl1NDf9Ls6d6QS11X/NeG0gp6Mck65YHEl6AIB52/Xlass7MKOTEa/QUpufs0u7oKKIUKEryIh+rVSsQIDAQAB"],"checkedAtMs":1795257946053,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795257946053,"standing":true,"failedSinceMs":null}}',1795344346053,'pr57ec1023','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqyuI/AGXFvLdTXOyYz0xKMlGMHB6HtV/MjGMV6A8qSNy8SFpXBQdTTOg2PbJASy/ewRYLlmNppqfTTqLvPLm3ZBwjr45+GJW4jf3A+iLXyeJynqXZzqTx/0R4g5mRVYtvHi9LVRU6BUNX79n8gofOTYcWm/U2iegyCq4uTBLlZdJeSJqMrnAfqd6hX2YQtrgbdgST+E8EAhUVBxTdNhopP9nx6ZSjPja8C1TePqpAow0rzZZEtcvEbsdBeQ/63T4GyMzmhAl1NDf9Ls6d6QS11X/NeG0gp6Mck65YHEl6AIB52/Xlass7MKOTEa/QUpufs0u7oKKIUKEryIh+rVSsQIDAQAB',X'5065814BB7C547620116ED5686089D814820C8CF56AAF795DAFA5E657F562AFDDA75692CBADAD3A3ABB6C73D42ED711AA89037386172D4A0D7AB7C454DF2A14FF68864A8E44A6857689D815590E912DE437073F2724F044F63E44ADCE2C52BED25CB93C7D1CC627D3179D0C4C423BFF460665BC8E967896A9FDC6670F654B7E653DDCD237072EEBA026BEE4F43667A2230E844671C2FDACED027E70F737CFDCC821AAA4000939F9351CD74E44A56573AFE53F2BBDC6B428872A3367AE6FC14D0399B912EDCAEA62D9EBA4F62EE85DE8348067FDFFBA3675DE81D3938C768C9A90F67C7934B309E2FEC59E397ACB22E6A87741B33764C1822C6F7DECABABEF5E135F1937F3FBA7063CA92B09283EE6E9E8D8A61E4517B08704270339C35523B5303B46E7843F1F7B6C7779BCDE11F48D5A147FD09E54B09A10B67DB0F60AD15642AB5126C4C8612F10EBF19DC3D54E3BF0FCFCF45647814DE2CC9DB105944B080874E3881E4B3886B1F64CA1BB483A0A7F41ADF179508550EE7B18CDA74F3A1E1701373E43EEFB3557EEF6B46C98B82530F29A95876C7AC9D4888D7BAC3E545865DA8901A60ECDCC012302780CE0B8D4BEDE0A521175D0660872BA492A6369B89A73495A98E7817176DF07CA299F55F99A87D72DA46FA4052E70D30767DA63FD870FE73EE9246AD71009E5660A1EB60B7EAECBFD5E4FD0CF353D548615912204C1AB3A8D1CD909AB2074DC8B44DC0B192B46DED853A741E69F4ED6C551E74F385EA48972C2EA41E8C19704D12EB7637138AE2E3AD6D5D010177F771B83A64735B478EB85C82BD696DF068ABE5DCBFE904BF486C1427DBCBA4A70945863C83D144E11816A9CDC31739D1F270381DA3C4632364439565C4BED48610C711AA21E16F59A343AEC094DA5D7CBA14C5F8A18CFD032378C560591D37914B450F19D763644CA93BC72924CB25FB7EF35A5160461DA665A9A64D6B7DCC1AACD647F2E2B910805009447D1FB132FADE741A940A66A166411EE00C27AC215AD4B88E079446802FAA08457378EE6ED251194E269442069A31CD917415EE93FC5920C3E33A1A2119CF223312862BA6B316A554FFF8E4BB69EEFECA53E7A217E9733053BA6C14384B421A5A2942D8E6CFD86F17B9456B548F352F5811B877EB98CC5E8496659A82849F318A35C331801E66605B95152AE3B2B44A23C85503EC28ED870E60591F5CC120D320EB7317B675347781AEB89ACFD55B34A647A80BB8440551FC6E83C15E9F713472AAA59CA0848A25A289DF1092858E93F89AE90C48A7B85CED025AE35CB49DD79A4E012A4C21FE5258D252889C42E8036536CE8EFCA4FFE446DC104775F2037AE05C4531D7BC09B9EC8505957859A58407D4C7A35A3625D4280F8D0DF2B2EF8CFBB5DBCB0824CAE0A74CCC0CA4C4F16BA882CDA237E85C418D9FF34111FE9584B9EF57B662D2DC729FB33043133E4102D35860C1FD6EBBC191F85011194CF8F89FCED44BD997FA11E9EE9CB30B567885C703EF3C4C9D2EB43D326FA28825701D4F476F491D8F162B3D55F56B98A51A5380A495285D459BBE6828BDDA0E97F17E8AAFEB2F065E2CCE9BCEA3968349628038DA9B5568342DD08D3C11D334BAE8EF36899724E51D84FCCF3D3ACF445C45E8D2185AEBAFA8E55F41DDEA8E3CF053AE43080199EB0D0F8B4735C778513DE16D3B124D45E4651BD384CBE58FC5BDDE51BDB707111E353CEA576FE0F0C40825FF301343B2F6BBB04A2F0576FF4DCB46C7101E1C78FC8D652AC23BB4DD70C4F232E389D5AE21D9A90666538BC46BE8D7BBF945B10835ABE417C79BD91639E132934FC1DD0C2C27EDB24DCAB1B8D4E321251096828D434663C2D8A1088E46579DED89622BFE5BB3A7529560A98BB118D0EC9A8448D386A339A62BED2485BBB0DD8293FD000733C357DFD473A2B84D6EF78AAA664B29CFCEB3D5CCE6E7E76E279C60C63A9E4FEB260E0EAE34CB3E55930B208228D3DCE2E7DFD71178D145007EFE6BFB0C61EBB786270D698FCC9A61B3507685B37EE1E59BF97994F1742831F7E2A418FAE517001F9350C50025DAA861D8EE06B976CFF517AE185911662A643ED97890E282616D057CE95DAD7747594EFB0759C8298F0CFB48D4464A0D83909A70DD428C6A817599C21D5DB89D6988AB1F759F4A33AFA5FD729C8408B96E178733752584F75B35D955A9721197DD664ED33DC35F56F21F3727D1D23D130B78070D4C66694F242778BC7068B19E49F9CC08C2485260ACAE38A362BECF6FDF2D15CE6B747BB2F3B69F978E30EF812564863979B3B57DD4820208B688BCCB6C66590AFA8349EA836300D2B77A319B9EE4D017368794E95E4289233A32C8420981632A3E8A543D0B1AF94BE05C032852A3F959E85F9C8032E4EA4B65EB12D2E7A66E469CF9F4441697F1D5ED927218802C8A92DAB3');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (1,'msg_-P6xh_E60CQ5AVzbyqK8LRYC','acc_default','key_k1NRWZsLEC_1b1jJ','dom_a641aT0ZweVAk9oD',1795257947079,1795257949872,1795430747079,'hello@shop.example','Settled','<7oWTBoF1fBiPyOQZXWbzNkPY@shop.example>',310);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (2,'msg_-P6xh_x8s2-ErgfLV4DrdBTA','acc_default','key_k1NRWZsLEC_1b1jJ','dom_a641aT0ZweVAk9oD',1795257950025,1795257950590,1795430750025,'hello@shop.example','Hello','<J3sGNEobmNXh7kMXoGrGxDa3@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (3,'msg_-P6xha5sMrhTKIOaArEZEH--','acc_default','key_k1NRWZsLEC_1b1jJ','dom_a641aT0ZweVAk9oD',1795257950648,1795257951112,1795430750648,'hello@shop.example','Hello','<PBf76GxLJx3jIGRXXBrOn3vH@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (4,'msg_-P6xhaEM31glZwdXUBvS548n','acc_default','key_k1NRWZsLEC_1b1jJ','dom_a641aT0ZweVAk9oD',1795257951191,1795257951431,1795430751191,'hello@shop.example','Hello','<Xd2DIrb5ZSYVw2yO7cS5uw9S@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (5,'msg_-P6xhaK5f9sBWVkB8lZ9gtQT','acc_default','key_k1NRWZsLEC_1b1jJ','dom_a641aT0ZweVAk9oD',1795257951558,1795257951791,1795430751558,'hello@shop.example','Hello','<RvFLNZoAeSrDLF1NiXzmmrxz@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (6,'msg_-P6xhaO43YYzrjIHszSMo5Qo','acc_default','key_k1NRWZsLEC_1b1jJ','dom_a641aT0ZweVAk9oD',1795257951813,1795257951998,1795430751813,'hello@shop.example','In doubt','<eX6LbX26mGH0-BraIbgrhtw_@shop.example>',287);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (7,'msg_-P6xhaSu-Kv5dW5U1S5F2gbP','acc_default','key_k1NRWZsLEC_1b1jJ','dom_a641aT0ZweVAk9oD',1795257952122,1795257952494,1795430752122,'hello@shop.example','Marked','<xdhImhNWWQLg7gd2mV7-28u-@shop.example>',285);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (8,'msg_-P6xhaZLlJKqyfvFNEdSX4J7','acc_default','key_k1NRWZsLEC_1b1jJ','dom_a641aT0ZweVAk9oD',1795257952534,1795257952807,1795430752534,'hello@shop.example','Waiting','<eR5H6YgE9nHmeypbDOSH8niL@shop.example>',304);
INSERT INTO contents (seq, content) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C376F5754426F463166426950794F515A5857627A4E6B50594073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3437202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C4A3373474E456F626D4E5868376B4D586F477247784461334073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3530202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C504266373647784C4A78336A494752585842724F6E3376484073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3530202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C58643244497262355A5359567732794F37635335757739534073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C5276464C4E5A6F41655372444C46314E69587A6D6D72787A4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C6558364C625832366D4748302D427261496267726874775F4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C786468496D684E5757514C67376764326D56372D3238752D4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C6552354836596745396E486D65797062444F5348386E694C4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257949872,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bfi-5be97d2a4a14","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795257949872,'{"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257950590,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bwz-e8afb7715fa1","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257951112,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8cfu-a3f3a2c9ed13","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257951431,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8cqz-1af02c8f5df3","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257951791,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8d0u-bfbe802df0cf","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795257951998,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795257952494,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795257952807,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795257952686,NULL,NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795257949872,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bfi-5be97d2a4a14"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795257949872,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795257950590,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bwz-e8afb7715fa1"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795257951112,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8cfu-a3f3a2c9ed13"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795257951431,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8cqz-1af02c8f5df3"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795257951791,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8d0u-bfbe802df0cf"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795257951998,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795257952494,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795257952807,"type":"deferred","attempt":1,"reason":"temporarily_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":1795261738793}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795257952686,"type":"deferred","attempt":1,"reason":"connection_failed","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:34371"}],"next_attempt_at_ms":1795262224731}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P6xh_E60CQ5AVzbyqK8LRYC',1795257947079);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20778,10);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"mx.customers.example","window":4.016666666666667,"threshold":3.75},{"name":"mx.later.example","window":5,"threshold":5}],"addresses":[{"address":"127.0.0.2","port":34371,"failures":1,"sinceMs":1795257952686,"probeAtMs":1795257953686,"error":"connect ECONNREFUSED 127.0.0.2:34371"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
PRAGMA user_version = 3;
