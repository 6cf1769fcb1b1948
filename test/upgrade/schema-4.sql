-- A spool of schema 4, made by the code that had it.
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
CREATE TABLE refused_addresses (
    account_id TEXT NOT NULL,
    address TEXT NOT NULL,
    newest_at_ms INTEGER NOT NULL,
    refusals TEXT NOT NULL,
    PRIMARY KEY (account_id, address)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX refused_addresses_newest ON refused_addresses (account_id, newest_at_ms);
INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_default','default',1795257943985);
INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_second','second',1790000000000);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms) VALUES ('usr_3XXqu64csqYA5Ki_','ann@shop.example','acc_default','scrypt$65536$8$1$YAwtTaWBtSA+6+3msEWXZA==$mt96aFwWA/EKMjwTUVhpwS3WjQ2NLPEY20QcER1qY+U=',1,1795257946313);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms) VALUES ('key_2qa0Jy-B643_CQ_D','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795257950773,1795257953588,NULL);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_M57aOkEZXIVUFj-m','acc_default','shop.example','MAKKhl1AmDIdseEJx9cJyCNnE3zGa2OQ',1795257946365,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=MAKKhl1AmDIdseEJx9cJyCNnE3zGa2OQ","found":["postrider-verification=MAKKhl1AmDIdseEJx9cJyCNnE3zGa2OQ"],"checkedAtMs":1795257946365,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795257946365,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795257946365,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr75c40368._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoo0WB+yzyAYQaq2apBEzzZcmjbCeiax54VE3zBnWrJMhfg02K8f3Dm5LXgQTZsWaMgjGnW8O6YITsERdZETDXVd7z9pnZvGFYkYIxibymuym103JcDg5fuKi1UOKJPU4VAsBtPUX+Xxn62MLxQezCUcn0Z0CKur4WggeOtHE040LMJRZoF5xVAKNBoR8CVeupGSuVHT1MrwmoT4rVUM6MHRPioJe1EyLYezemLdQkJV7n2gZaTWLU399N+yI0r2kgl+3SmyK6yKE/nl7A9Q/R31c91NXKsjSnO9AfqpwNp4ZgkR3Ln+I842+hBKD5pS5iF3CKNer1ocxxei1oCpn5wIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoo0WB+yzyAYQaq2apBEzzZcmjbCeiax54VE3zBnWrJMhfg02K8f3Dm5LXgQTZsWaMgjGnW8O6YITsERdZETDXVd7z9pnZvGFYkYIxibymuym103JcDg5fuKi1UOKJPU4VAsBtPUX+Xxn62MLxQezCUcn0Z0CKur4WggeOtHE040LMJRZoF5xVAKNBoR8CVeupGSuVHT1MrwmoT4rVUM6MHRPioJe1EyLYezemLdQkJV7n2gZaTWLU399N+yI0r2kgl+3SmyK6yKE/nl7A9Q/R31c91NXKsjSnO9AfqpwNp4ZgkR3Ln+I842+hBKD5pS5iF3CKNer1ocxxei1oCpn5wIDAQAB"],"checkedAtMs":1795257946365,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795257946365,"standing":true,"failedSinceMs":null}}',1795344346365,'pr75c40368','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoo0WB+yzyAYQaq2apBEzzZcmjbCeiax54VE3zBnWrJMhfg02K8f3Dm5LXgQTZsWaMgjGnW8O6YITsERdZETDXVd7z9pnZvGFYkYIxibymuym103JcDg5fuKi1UOKJPU4VAsBtPUX+Xxn62MLxQezCUcn0Z0CKur4WggeOtHE040LMJRZoF5xVAKNBoR8CVeupGSuVHT1MrwmoT4rVUM6MHRPioJe1EyLYezemLdQkJV7n2gZaTWLU399N+yI0r2kgl+3SmyK6yKE/nl7A9Q/R31c91NXKsjSnO9AfqpwNp4ZgkR3Ln+I842+hBKD5pS5iF3CKNer1ocxxei1oCpn5wIDAQAB',X'86DB50500F032F0D872ECBC9BFC6C085E9F49A3EBC1200EA97C35398F196A89F6BA5FFC895D3C6A70D167651FD9BC8A6E7AC765E9E2E9DB3BBE7891089AE17A1740DDAAE45E2F04A9B5977D1D3200E590D000D5112DBE3F5810DCCA61DF6A57519FAD1B59CA2ACEC7538740ACBF903846EC7A505395DA294959B67A6936E4F3ECBDF26372076BD4E9C14A73E90DF1A67B5C21E4AC1001A9FFF84A700940297623588408ECF89BD409FA9E0C878C0DA8B813F8D7D621BB85933ABFF461F63F7C12309857FEC6FD5ECC43DDAEAF3833369B59F58FA0EA524B438522D2AA91F1841492B697222500BA38091309683453079A09074D676955664C12592AEEA3099EDD2B46CA2BE454117B54DAE1E4253BF8B3A328679F01B0C656BFCAF47DDDFFCCA6E33B5297F4A6E200B9EC82F3107C43E4EBF38C08DB2A5FC4DFB99148261DA2A2BAD41DB9530705A1C2E2C08BF6333E32AA953393DB206FA4FAD7DE6482184F2F2503A604C9AB6A10BCFA130106B3FC30674CA5461D704FF74080E483FD8B255756AF1CEA8C9971FC2F97B98AAD9CC182C5A040BF41A0DEC4F230FF7B76689E34DBDCC84DAC3FB4709489B731E26E085AF1D324FBD1D13B16E78FBA8D73C2352550011BFC4CEBF001BFF29BE57E487E8E616757110CB7E80D0DD40FB5FF64B2DAE095B747BBA7D8F922A81BDC65F7E8A7DF1BD43B2E9D2B1ECE29A9998ED601402C1D7B960F33F83B08D597B26E0F473DB2E935B234317A7CD65714DCB317C0C9BD8B2D60D3FA6FE3E8F5637B191E531B3F7FBA098EB04A1F5A9A08863BEF9C0F17539DE4254FC5EDE07D750ACBF151018EC05ECA5C9B1E9FE76080A9D3AE69757370510C920F5A042BF93B389E5DF70B8E12975135F747D4653C6E88E0144FC6D0274D1B2C8643AF3EF3631C96761CB7A02D138AD509F69E8D753923E323FB7CBFAFB593044257DFF90E2D99B4A3D73A1F2B2AD46298C4A6EF67F419C350583FD8762E407142858C25012DAA6A61F1D1514D08FCF65433A5C38E91A9BCDD79CA2223F02AA1A3A5FEE9C2136222FEE781CE23B1F39918BA2495EA94CE60F92BEA8E77DCAC0F9FC54509D486E204A8BF7078C9DE58C67E7A07C1C36553BF6CAAB1594BAE720D076E2000BE41350F205F9DF5DE95FD48C1CC27AD90C869CBF507F5865F8D4272EADFF2AC867101167B29611B461ADB0D381D136471705FD66BF4F3796D2E841A78AE785CADBE79E4B5A8690090A797AC0A1676773C2F982CAD0A502AAC50B8A92DAA3DD0C8277C0F414785D2CA3077515751664D81D86419866AF5CEFD1C003CFE87424DD288E62745EF0B84025C5FDF8C7FA11FB1F91652E2255A123FC9BC94F6ADC99FCEC2B6AFBE6617C7CA4E8B260154FFCDB5E3D3D6F706DFBE740415987829553F20CACF13DFC4263E7C1D04EC92EBCF7FADE7F4FB904F255FCF8E2209331ED32C30102A1C75C094E546C6B019F0205A6DD59FE1720BC20B60200FBE6D80E9BD54C316694BC64373F41BD3D52DA229AEC331FE5CEBCFBCB4B8809A1C615C4927A32773246EB36F8858124877EC1094CA055E05BF4901D2D7B369CD9093DB15BA652A100A1E811885A98A0A1D70DF18E4F5519F789FADCDFDAA57F7FEA0B5116D423BFF42399C6711B7187C32D0040BBA4F14809CA75A0B9B84D54C426E67EA07E9B4E159A14071F7DC07C8CA19B1861E939C047CB95BBA59C6D9F22FC884532DD34738BD70BDF20C4301A415C96D7029664B1B57D5B4ABCC963B84B315CE7EE38DAF6529A0F52ECFA94EA4091991DFACC6BFC89750D88F0CCB4913E49124119BA395C4D7F9F50EDB3F66BEC5BB9081C1AA14DCD2A6233E45CF31635AC242FB5F08F826D678F0249C9E0855DEC6E59737FB48E339063649F2E8DA237DE1A50AC7264A0DB6C1765D807E9278DCA79068FF6115ECCCB5F7D785CE6C855C75E94F06E4DE326EA060E89A3FBD83D3747405BF86FBA141ABA6E42DC731E8AE354A52889E76EF000D07D207F1889FA4EEA38E5194CD42C2E6E406D80EEC9A0DEB9B8D6AB99F1ECEE31D6B9EDA91DF460A669D7B492D79F11DF8750C195908B3EDA3A523158957C7B1BE00AC08C6B1F24FB05A5BFB62207C65A77197EF35FA23B40BD91CCA4E7CF1B43D6EC72B55C4A923E795CA5491A23066A379D7908C1273A17EB7171C7DE3DF7568512B78DF33583A65BA3057E90CB097CCCE911D4870B3783B7227BB71A46FAC0C20F943A59EC4F36674726EC6C274E21C96DDD674C53DA22846FAFCDF1EED54C2E03B868BEFC5471C3E0827775750E4FB36CDD37899D4A777A1CD3980012C6C20B996EC2923DB942EAB0788DCB3C0603663896F889979F000FC056322772B84ABCE8E7C56AA9B06EBE41AB9798EDC5E7484A85B74CE47D168370825F0D374D19C8DAA69AA5FCFC46E28531A78602C8C273ED3EFCB22B');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (1,'msg_-P6xhaDO3_xiNuoA5zqOt-8V','acc_default','key_2qa0Jy-B643_CQ_D','dom_M57aOkEZXIVUFj-m',1795257951129,1795257951838,1795430751129,'hello@shop.example','Settled','<F-j7nMfJlI54DODkE8bEpo_K@shop.example>',310);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (2,'msg_-P6xhaOnlXHefyQqly4ruYRz','acc_default','key_2qa0Jy-B643_CQ_D','dom_M57aOkEZXIVUFj-m',1795257951859,1795257952324,1795430751859,'hello@shop.example','Hello','<m76-bjVdlmE8itSNQevT17dK@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (3,'msg_-P6xhaX7TmlH-Oht20CJgpYt','acc_default','key_2qa0Jy-B643_CQ_D','dom_M57aOkEZXIVUFj-m',1795257952392,1795257952651,1795430752392,'hello@shop.example','Hello','<wZt4KhiHDvH2bvuQ2cNLpphY@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (4,'msg_-P6xhabYhq_HIyj8R114qm-1','acc_default','key_2qa0Jy-B643_CQ_D','dom_M57aOkEZXIVUFj-m',1795257952739,1795257952795,1795430752739,'hello@shop.example','Hello','<sPW2iv15xIpFQVZR_NnNRvp3@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (5,'msg_-P6xhad6jbya0ed0E_rHAAti','acc_default','key_2qa0Jy-B643_CQ_D','dom_M57aOkEZXIVUFj-m',1795257952839,1795257952901,1795430752839,'hello@shop.example','Hello','<6taeqh-AaGV5vhHfhrxOBYkv@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (6,'msg_-P6xhafoPzNd3pnxq-myWm3W','acc_default','key_2qa0Jy-B643_CQ_D','dom_M57aOkEZXIVUFj-m',1795257953012,1795257953114,1795430753012,'hello@shop.example','In doubt','<42Hnz9KrOBbPlif_c-TEteZq@shop.example>',287);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (7,'msg_-P6xhahuHeBGFyC6h3jMD7zD','acc_default','key_2qa0Jy-B643_CQ_D','dom_M57aOkEZXIVUFj-m',1795257953146,1795257953313,1795430753146,'hello@shop.example','Marked','<CTUXW6zVoIlroiFvQYqYBy20@shop.example>',285);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (8,'msg_-P6xhalFpSokHX-8tHxdHcV2','acc_default','key_2qa0Jy-B643_CQ_D','dom_M57aOkEZXIVUFj-m',1795257953360,1795257953560,1795430753360,'hello@shop.example','Waiting','<kuo6CJG56D0cYuNqPZHHQT6p@shop.example>',304);
INSERT INTO contents (seq, content) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C462D6A376E4D664A6C493534444F446B45386245706F5F4B4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C6D37362D626A56646C6D45386974534E516576543137644B4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C775A74344B686948447648326276755132634E4C707068594073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C73505732697631357849704651565A525F4E6E4E527670334073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C3674616571682D4161475635766848666872784F42596B764073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C3432486E7A394B724F4262506C69665F632D544574655A714073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3533202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C4354555857367A566F496C726F69467651597159427932304073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3533202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C6B756F36434A47353644306359754E71505A4848515436704073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3533202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257951838,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8d2y-ed02305fde16","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795257951838,'{"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257952324,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8daq-e40a47175615","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257952651,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8dmw-9ad433abb0e9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257952795,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8duf-420d61616fd3","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257952901,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8dx5-5711c2a9e7c2","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795257953114,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795257953313,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795257953560,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795257953452,NULL,NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795257951838,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8d2y-ed02305fde16"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795257951838,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795257952324,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8daq-e40a47175615"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795257952651,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8dmw-9ad433abb0e9"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795257952795,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8duf-420d61616fd3"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795257952901,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8dx5-5711c2a9e7c2"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795257953114,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795257953313,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795257953560,"type":"deferred","attempt":1,"reason":"temporarily_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":1795262094650}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795257953452,"type":"deferred","attempt":1,"reason":"connection_failed","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:44799"}],"next_attempt_at_ms":1795261257092}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P6xhaDO3_xiNuoA5zqOt-8V',1795257951129);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20778,10);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"mx.customers.example","window":4.016666666666667,"threshold":3.75},{"name":"mx.later.example","window":5,"threshold":5}],"addresses":[{"address":"127.0.0.2","port":44799,"failures":1,"sinceMs":1795257953451,"probeAtMs":1795257954451,"error":"connect ECONNREFUSED 127.0.0.2:44799"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','5xx-550@customers.example',1795257951838,'[{"at_ms":1795257951838,"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1"}]');
PRAGMA user_version = 4;
