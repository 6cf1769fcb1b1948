-- A spool of schema 7, made by the code that had it.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_ms INTEGER NOT NULL
  , quota_daily INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    password_hash TEXT NOT NULL,
    operator INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  , sealed_totp BLOB, totp_step INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    revoked_at_ms INTEGER
  , messages_sent INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
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
  , deadline_ms INTEGER, tags TEXT, metadata TEXT) STRICT;
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
    mark TEXT, field TEXT,
    PRIMARY KEY (seq, position),
    CHECK (state = 'pending' OR state = 'marked' OR state = 'delivered' OR state = 'failed' OR state = 'unknown'),
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
CREATE TABLE refused_addresses (
    account_id TEXT NOT NULL,
    address TEXT NOT NULL,
    newest_at_ms INTEGER NOT NULL,
    refusals TEXT NOT NULL,
    PRIMARY KEY (account_id, address)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX refused_addresses_newest ON refused_addresses (account_id, newest_at_ms);
CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users (id),
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, hash)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at_ms INTEGER NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    agent TEXT NOT NULL,
    ip TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE TABLE check_changes (
    number INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    check_name TEXT NOT NULL,
    state TEXT NOT NULL,
    detail TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
CREATE INDEX check_changes_domain ON check_changes (account_id, domain);
CREATE TABLE rotations (
    domain_id TEXT PRIMARY KEY REFERENCES domains (id),
    selector TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sealed_private_key BLOB NOT NULL,
    started_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE paused_domains (
    domain TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE activity (
    account_id TEXT NOT NULL,
    minute_ms INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    recipients INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    deferred INTEGER NOT NULL,
    PRIMARY KEY (account_id, minute_ms)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE delivery_times (
    account_id TEXT NOT NULL,
    slot_ms INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    recipients INTEGER NOT NULL,
    PRIMARY KEY (account_id, slot_ms, bucket)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX messages_by_time ON messages (account_id, created_at_ms);
CREATE INDEX recipients_by_email ON recipients (account_id, email COLLATE NOCASE);
CREATE INDEX recipients_failed ON recipients (account_id, seq) WHERE state = 'failed';
CREATE TABLE message_tags (
    account_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (account_id, tag, seq)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX messages_by_key ON messages (account_id, key_id, created_at_ms);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795269831258,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_bbgfH_esXQYYi4hv','ann@shop.example','acc_default','scrypt$65536$8$1$lBvggCE+Fb7VxDmBes3mng==$JMofoV1Rk5xvLMmBRt0rZKHyQ6qPvYrTUFmw971oFDg=',1,1795269832368,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_MxfYfBTunEJF4QBu','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795269833985,1795269835842,NULL,9);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_VLmWwezoLifXKqKy','acc_default','shop.example','WWyTz-4rxDsUhxJnTN1yi5dcjqD_dwDu',1795269832565,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=WWyTz-4rxDsUhxJnTN1yi5dcjqD_dwDu","found":["postrider-verification=WWyTz-4rxDsUhxJnTN1yi5dcjqD_dwDu"],"checkedAtMs":1795269832565,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795269832565,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795269832565,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr73330613._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA6LJYz5lKOEwVTdeu0ewD0DJBkET9NzMtOm+qAKCCA1ljIv+r6q8Fscx2UEHOQENBrutm+V070/1TE3+OdDg7ivH/sGHYwVM7mfH3hsqfNxgBtZz6wR/sVBmnoSwViLd3jUyURrl2ZJ7USCpsvbyJCGbZ3xpia+heOKkWseEcOxeVEYhTaIh3jX0KQ+L8rpVkitJX7qu928OyX8ZYUAbzl/dOoXH77Nb+7MJ4jFkK5o+1RHZg6YlA1/GNrqIF6v0Y7bLmHjRaXAvG3iNZo7PVz1M8iJ8tghymNgHihfUsG9+JNDiIgN7mL1BMmw99Z18PM3OAGLtx40ggCJ+AURJGNwIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA6LJYz5lKOEwVTdeu0ewD0DJBkET9NzMtOm+qAKCCA1ljIv+r6q8Fscx2UEHOQENBrutm+V070/1TE3+OdDg7ivH/sGHYwVM7mfH3hsqfNxgBtZz6wR/sVBmnoSwViLd3jUyURrl2ZJ7USCpsvbyJCGbZ3xpia+heOKkWseEcOxeVEYhTaIh3jX0KQ+L8rpVkitJX7qu928OyX8ZYUAbzl/dOoXH77Nb+7MJ4jFkK5o+1RHZg6YlA1/GNrqIF6v0Y7bLmHjRaXAvG3iNZo7PVz1M8iJ8tghymNgHihfUsG9+JNDiIgN7mL1BMmw99Z18PM3OAGLtx40ggCJ+AURJGNwIDAQAB"],"checkedAtMs":1795269832565,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795269832565,"standing":true,"failedSinceMs":null}}',1795356232565,'pr73330613','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA6LJYz5lKOEwVTdeu0ewD0DJBkET9NzMtOm+qAKCCA1ljIv+r6q8Fscx2UEHOQENBrutm+V070/1TE3+OdDg7ivH/sGHYwVM7mfH3hsqfNxgBtZz6wR/sVBmnoSwViLd3jUyURrl2ZJ7USCpsvbyJCGbZ3xpia+heOKkWseEcOxeVEYhTaIh3jX0KQ+L8rpVkitJX7qu928OyX8ZYUAbzl/dOoXH77Nb+7MJ4jFkK5o+1RHZg6YlA1/GNrqIF6v0Y7bLmHjRaXAvG3iNZo7PVz1M8iJ8tghymNgHihfUsG9+JNDiIgN7mL1BMmw99Z18PM3OAGLtx40ggCJ+AURJGNwIDAQAB',X'B67AA6918D9CA0CD5372674FCCFD83EFBD3A688EC086EB07A5B348DA96DAB77A5CD3FE96B35CF570F0CEA6C4399B3FC59360E55041E55066E43D5A67FFF81F61D1778230FA27E47EEBB96AE611840811A15B630345F9DA1014518A25A81627888FC384E5205FBF719834C08D49ED707472B60AAA2C92F2597D0A13A93EB5321E6C931768460EC62E61DE00D8B7D095EDFE74088A6480888B57BC648ED562EC8F4848116DEB18C799E740350AB7F26CB70A149CDD792D66F584512ED3D5C24E4F1370823FDCFA5CDBB4019FC2426B0AF4B31145C6BEDC44E6E5CE53EE15DC3CB2C04E7A4722592570F7B731526B0AA374138DC3A040663589E485E27D640B751A6436EF8B0A0EAD96890D174912439D6A0E85355ED440AD4E9CC71E0697268E2235C2CF07B28D68C210E1923F6C3C5BDCB319218BDF995B2FF5F0E95B4347FF1AEAC09C6D1BAB1593F3A14019FB0EDA241777C0DA94DB6729C298500F0143522C09CAA8FF37443711A4B28971F86485EC8379D0C78010BD7DAA6538762683D9F01F05DC312331B30A8099362B776D0E102FC6C60FC103290635EFC9D5859BCD83B6A4CE7A90264E84A5D82BEA99B6D3EA01A3CD046B08C3E4E7DDDF1CED9FA7F2EF2FC150BCD3184B10F808807271ACE318CBAC64A8879B856E892EEDABBAD5B2B102BC8B167ABCC57AB4A479FD77EE5ABFC533684CC1856E3325F2AD20B75B3BF251E03615C887F2040833635B54098323C23EA11983180D41B045E846A603E9971553D2BB70E7DEC473587D1D9638AB101214E181034DFF039F1D5EB7CABFDA963A0CA1A03E2559686334F0B032F81AD1ECD6BAFC5E1763AE0BEB8DE038107B4E41913314F698F0A7E1C8690849346EFB15E6E219AFA10377A77D8D39A2704AAB1E974B4229D10E983D6A0A53AE4D72C9381F960C884AC953EA189D1440321885EE25E690BA9E6DEA81EF1B40C736335A6EA9CE74998BE314C000C73E25FE2801B6FD6F7695861DA7AB40C7A9D6DCEDAE58EC5E2D9395EB904F87EC1AEC623EB46B8AA25788B4910BBD229CC4A63560067D3415EDC286EDDD4A686C66A37A4D50E65603E69EA8556207AA7215F743323D46719DC9F6C89E0C516867F4A8754106DECF7E5D7A1861989155AD9BFA199D0CEF399578F6BE826AA0FC6FF7ADF1FA8A541C3BCAE4816CD46DF3635656AC055410900134E008BAD1863465502D5DE02EA19376BC5F75B721D4836E8D4CFD2E18AB90D119807B4E79ACE760A962AD04722BDA1A2E21FD7F820B36B5DCDAB8C1B07AA4432168436D3FA012524334043A5ABA76E9EB0289B8995109DD2A9577A4931558B792819E08EE26AB7B13176223F18AFEA7E8E92E74912D13C3595B9C8AD43949A70BA92F19EF29CE2DF180D3E252322431B2FCFD365F90BA49A20ACDB4597E68628FFEF05BED8C45E2A0FC71AF7485A4D2712228CC6255D82F888EE522B351ACC7877A9A6A801C6E08D8517A19B4C716421022FE8E635D6897FE6F66C43ACCBC3E519505CC19E080881E4F07FE1567C2584E74AE3573CF850E6F786B8C056B02F5B87C7FE8088B44A4D909FACA96C8F6ED3A83A9DCDC1E02C4DEDA6E37C03135675955CBBFBF200BCC85217A0B844A6B6C96E4BB9D520E99F4B1592848B2114CD4A5728C97BE31935A6AEDDE529F3412F0060F7E8B8174807A71C409E16396478EE4D10C15594DD3205CE6FCA750FCA705DFE151A3A1146F9BE68E126FCD888ED86FD4E297186EF6AFEB23E997661F1ACE917871D31623584F7E14D5A957A861D5D13CC2B9A3BD4348B5C16711A7266A80400A1B46028D44E6B80B052CB6016C7929D2A8E0BF1A6BF5CAB6A95E10AB8D25315ED502FEB56B1CDEB855D3B82B159A737B24CDAE00CBBC3E0BD82F8939F218C36D05B966B20DDA070DE713C6FC6D9C7A2AFC959EBF157212391551CC3F3292873BD300C1CD6DE81DD635F9E15E70EB760CAF1BCD823BDA27AB8F6E158C894132028831AF691F8386DBF74F348E284E3FA9C9918577D4AEC6A0CB625A081FE8C432DBF6EA9B44C641CE3EAD175F68D82F4BC82201BBA1A9B196B98EDAF9F86551B46D29041A9F9B300C6015D0C7E08F97CACB8D3104AA875316B77E259DE471D4E6073DE4A20C1462F46EA2A2C9680C8A071A806849949D5A523661437F6AE727C6521921428430F32E2AD2F788A4076CAD20A4005DF46EBFA9FE35B36CB27E3752ECE4D20A49BDCB895786EE1D62AAF681C8ABC4521944B1B9FD0276CC1EDDC3C83618A042A03EC782A23FDA26FACAC178EBD754981ECD4CEFA4197C8BAB95BC16C019E7D255885A65077F4EEA43DA58A41630A5FFED0A0E0354AD3260F3BCD9E4C96F205782C236B4B3CB8F6E7D50F33CE95EC6B1FCAD3EDFD95896429622591D72AEBF072F20911BDAC5589F6DC49D9FB0047F62CCE461D8E9C449801DA1');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P6yPvKamCBQ6L1vOxoX8xeq','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269834086,1795269834807,1795442634086,'hello@shop.example','Settled','<oc0BhcIMzo1y0icbB9wRRASd@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P6yPvXewnwCVabRmPkaRLoC','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269834922,1795269834994,1795442634922,'hello@shop.example','Hello','<ZgrQ3bNKlwm_fJtTCi8c1pHg@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P6yPvZsUxZ4upLYzw7UUFKu','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269835064,1795269835103,1795442635064,'hello@shop.example','Hello','<wZOupTD-EfyOHLwPCJP_s8Up@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P6yPvaABWxb0lIP6rjgKENN','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269835147,1795269835202,1795442635147,'hello@shop.example','Hello','<-rkK8RpIX5xW__4Ght9-_Y5o@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P6yPvbpPX_BqrNKhbXcLqOB','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269835253,1795269835253,1795442635253,'hello@shop.example','Hello','<jiNHTjAp2wgcJUR7mzj9pgmJ@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P6yPvcEOE4Km9ZhvluaL_ef','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269835279,1795269835418,1795442635279,'hello@shop.example','In doubt','<DyMJPoWyHxEpRftIUWu1N6DR@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P6yPvf2vwxb7cqmcT5HdEeH','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269835459,1795269835593,1795442635459,'hello@shop.example','Marked','<_VteLWwOw7rLI9cY1gnNWN2s@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P6yPvh_iAJcGIX-95kx3SoJ','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269835621,1795269835732,1795442635621,'hello@shop.example','Waiting','<Vhr8-dA-uAc_JBIHvJ0agKXH@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P6yPvkAr7G4boNkKoRd4ja_','acc_default','key_MxfYfBTunEJF4QBu','dom_VLmWwezoLifXKqKy',1795269835787,1795269835807,1795442635787,'hello@shop.example','Extras','<EcHppVKM_zFyYsx07jaE1G8x@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C6F6330426863494D7A6F31793069636242397752524153644073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3534202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C5A67725133624E4B6C776D5F664A745443693863317048674073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3534202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C775A4F757054442D4566794F484C7750434A505F733855704073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C2D726B4B38527049583578575F5F34476874392D5F59356F4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C6A694E48546A4170327767634A5552376D7A6A3970676D4A4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C44794D4A506F57794878457052667449555775314E3644524073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C5F5674654C57774F7737724C4939635931676E4E574E32734073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C566872382D64412D7541635F4A424948764A3061674B58484073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C4563487070564B4D5F7A467959737830376A6145314738784073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031343A30333A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795269834807,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqhb1zq-8d0063691824","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795269834807,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795269834994,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795269835103,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795269835202,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795269835253,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795269835418,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795269835593,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795269835732,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795269835630,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795269835807,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqhb2u0-77c9ede131ba","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795269835807,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqhb2u0-77c9ede131ba","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc');
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795269834807,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqhb1zq-8d0063691824"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795269834807,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795269834994,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795269835103,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795269835202,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795269835253,"type":"suppressed","since_ms":1795269835202,"until_ms":1797861834994,"refusals":[{"at_ms":1795269834994,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795269835103,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795269835202,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795269835418,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795269835593,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795269835732,"type":"deferred","attempt":1,"reason":"temporarily_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795272888921}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795269835630,"type":"deferred","attempt":1,"reason":"connection_failed","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:37201"}],"next_attempt_at_ms":1795273590954}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795269835807,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqhb2u0-77c9ede131ba"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795269835807,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqhb2u0-77c9ede131ba"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P6yPvKamCBQ6L1vOxoX8xeq',1795269834086);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20778,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"mx.customers.example","window":4.049865229110512,"threshold":3.5},{"name":"mx.later.example","window":5,"threshold":5}],"addresses":[{"address":"127.0.0.2","port":37201,"failures":1,"sinceMs":1795269835630,"probeAtMs":1795269836630,"isProbed":false,"error":"connect ECONNREFUSED 127.0.0.2:37201"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795269835202,'[{"at_ms":1795269834994,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795269835103,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795269835202,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_bbgfH_esXQYYi4hv',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_bbgfH_esXQYYi4hv','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795269832565);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.',1795269832565);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example lets 127.0.0.1 send.',1795269832565);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at pr73330613._domainkey.shop.example.',1795269832565);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795269832565);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_VLmWwezoLifXKqKy','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA6LJYz5lKOEwVTdeu0ewD0DJBkET9NzMtOm+qAKCCA1ljIv+r6q8Fscx2UEHOQENBrutm+V070/1TE3+OdDg7ivH/sGHYwVM7mfH3hsqfNxgBtZz6wR/sVBmnoSwViLd3jUyURrl2ZJ7USCpsvbyJCGbZ3xpia+heOKkWseEcOxeVEYhTaIh3jX0KQ+L8rpVkitJX7qu928OyX8ZYUAbzl/dOoXH77Nb+7MJ4jFkK5o+1RHZg6YlA1/GNrqIF6v0Y7bLmHjRaXAvG3iNZo7PVz1M8iJ8tghymNgHihfUsG9+JNDiIgN7mL1BMmw99Z18PM3OAGLtx40ggCJ+AURJGNwIDAQAB',X'B67AA6918D9CA0CD5372674FCCFD83EFBD3A688EC086EB07A5B348DA96DAB77A5CD3FE96B35CF570F0CEA6C4399B3FC59360E55041E55066E43D5A67FFF81F61D1778230FA27E47EEBB96AE611840811A15B630345F9DA1014518A25A81627888FC384E5205FBF719834C08D49ED707472B60AAA2C92F2597D0A13A93EB5321E6C931768460EC62E61DE00D8B7D095EDFE74088A6480888B57BC648ED562EC8F4848116DEB18C799E740350AB7F26CB70A149CDD792D66F584512ED3D5C24E4F1370823FDCFA5CDBB4019FC2426B0AF4B31145C6BEDC44E6E5CE53EE15DC3CB2C04E7A4722592570F7B731526B0AA374138DC3A040663589E485E27D640B751A6436EF8B0A0EAD96890D174912439D6A0E85355ED440AD4E9CC71E0697268E2235C2CF07B28D68C210E1923F6C3C5BDCB319218BDF995B2FF5F0E95B4347FF1AEAC09C6D1BAB1593F3A14019FB0EDA241777C0DA94DB6729C298500F0143522C09CAA8FF37443711A4B28971F86485EC8379D0C78010BD7DAA6538762683D9F01F05DC312331B30A8099362B776D0E102FC6C60FC103290635EFC9D5859BCD83B6A4CE7A90264E84A5D82BEA99B6D3EA01A3CD046B08C3E4E7DDDF1CED9FA7F2EF2FC150BCD3184B10F808807271ACE318CBAC64A8879B856E892EEDABBAD5B2B102BC8B167ABCC57AB4A479FD77EE5ABFC533684CC1856E3325F2AD20B75B3BF251E03615C887F2040833635B54098323C23EA11983180D41B045E846A603E9971553D2BB70E7DEC473587D1D9638AB101214E181034DFF039F1D5EB7CABFDA963A0CA1A03E2559686334F0B032F81AD1ECD6BAFC5E1763AE0BEB8DE038107B4E41913314F698F0A7E1C8690849346EFB15E6E219AFA10377A77D8D39A2704AAB1E974B4229D10E983D6A0A53AE4D72C9381F960C884AC953EA189D1440321885EE25E690BA9E6DEA81EF1B40C736335A6EA9CE74998BE314C000C73E25FE2801B6FD6F7695861DA7AB40C7A9D6DCEDAE58EC5E2D9395EB904F87EC1AEC623EB46B8AA25788B4910BBD229CC4A63560067D3415EDC286EDDD4A686C66A37A4D50E65603E69EA8556207AA7215F743323D46719DC9F6C89E0C516867F4A8754106DECF7E5D7A1861989155AD9BFA199D0CEF399578F6BE826AA0FC6FF7ADF1FA8A541C3BCAE4816CD46DF3635656AC055410900134E008BAD1863465502D5DE02EA19376BC5F75B721D4836E8D4CFD2E18AB90D119807B4E79ACE760A962AD04722BDA1A2E21FD7F820B36B5DCDAB8C1B07AA4432168436D3FA012524334043A5ABA76E9EB0289B8995109DD2A9577A4931558B792819E08EE26AB7B13176223F18AFEA7E8E92E74912D13C3595B9C8AD43949A70BA92F19EF29CE2DF180D3E252322431B2FCFD365F90BA49A20ACDB4597E68628FFEF05BED8C45E2A0FC71AF7485A4D2712228CC6255D82F888EE522B351ACC7877A9A6A801C6E08D8517A19B4C716421022FE8E635D6897FE6F66C43ACCBC3E519505CC19E080881E4F07FE1567C2584E74AE3573CF850E6F786B8C056B02F5B87C7FE8088B44A4D909FACA96C8F6ED3A83A9DCDC1E02C4DEDA6E37C03135675955CBBFBF200BCC85217A0B844A6B6C96E4BB9D520E99F4B1592848B2114CD4A5728C97BE31935A6AEDDE529F3412F0060F7E8B8174807A71C409E16396478EE4D10C15594DD3205CE6FCA750FCA705DFE151A3A1146F9BE68E126FCD888ED86FD4E297186EF6AFEB23E997661F1ACE917871D31623584F7E14D5A957A861D5D13CC2B9A3BD4348B5C16711A7266A80400A1B46028D44E6B80B052CB6016C7929D2A8E0BF1A6BF5CAB6A95E10AB8D25315ED502FEB56B1CDEB855D3B82B159A737B24CDAE00CBBC3E0BD82F8939F218C36D05B966B20DDA070DE713C6FC6D9C7A2AFC959EBF157212391551CC3F3292873BD300C1CD6DE81DD635F9E15E70EB760CAF1BCD823BDA27AB8F6E158C894132028831AF691F8386DBF74F348E284E3FA9C9918577D4AEC6A0CB625A081FE8C432DBF6EA9B44C641CE3EAD175F68D82F4BC82201BBA1A9B196B98EDAF9F86551B46D29041A9F9B300C6015D0C7E08F97CACB8D3104AA875316B77E259DE471D4E6073DE4A20C1462F46EA2A2C9680C8A071A806849949D5A523661437F6AE727C6521921428430F32E2AD2F788A4076CAD20A4005DF46EBFA9FE35B36CB27E3752ECE4D20A49BDCB895786EE1D62AAF681C8ABC4521944B1B9FD0276CC1EDDC3C83618A042A03EC782A23FDA26FACAC178EBD754981ECD4CEFA4197C8BAB95BC16C019E7D255885A65077F4EEA43DA58A41630A5FFED0A0E0354AD3260F3BCD9E4C96F205782C236B4B3CB8F6E7D50F33CE95EC6B1FCAD3EDFD95896429622591D72AEBF072F20911BDAC5589F6DC49D9FB0047F62CCE461D8E9C449801DA1',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795269780000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795269600000,17,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795269600000,37,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
PRAGMA user_version = 7;
