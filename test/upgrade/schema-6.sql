-- A spool of schema 6, made by the code that had it.
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
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795257945898,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_RlXTEbt5QAqTwKpD','ann@shop.example','acc_default','scrypt$65536$8$1$QzFsTlvYkjALSoi6hGklfg==$C+DDFY0pZuEciu8+m0vukj+Mprjg9ouU5Hn1QBVYw18=',1,1795257949089,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_-eNyLxIkPRC5cRBV','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795257951136,1795257953554,NULL,9);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_Jp3nZ3qA7ClTfJQi','acc_default','shop.example','ARr1mdZIKse-PRu_XV6UXYfmqS_JGXmk',1795257949430,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=ARr1mdZIKse-PRu_XV6UXYfmqS_JGXmk","found":["postrider-verification=ARr1mdZIKse-PRu_XV6UXYfmqS_JGXmk"],"checkedAtMs":1795257949430,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795257949430,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795257949430,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at prcd6ed0cd._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApin/7Hgn4uMemeOY8Lko6ZU/0JJZn6HHKaKeM7X17VqwFJ/OFJs6YlXAb1FjXhWe+ZpZx63Q2+n9G7vGLdjf5/HWh8QXbm7yH5mAhJbPpWhYlNoDrw/11JlAMOnwJKwIbF/eDK3HVkuhSNOBSPAetpSnPRImleMm5cxRj30/RpehJTW180h5rznqKHEotvCJlC1ypG1VTTpPbmXHmDRbWwmZyIFFrWeGQmg/pEExzKq7ZP48A4n47Rm6UyZ8pYFYWqX76e9qIW8twbYv3oC082FYoLXI3twktrd86GTyZiX8LU2/zFg6OAiFGmFQFPwOaLCut87RASL6iDFmwEmaiQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApin/7Hgn4uMemeOY8Lko6ZU/0JJZn6HHKaKeM7X17VqwFJ/OFJs6YlXAb1FjXhWe+ZpZx63Q2+n9G7vGLdjf5/HWh8QXbm7yH5mAhJbPpWhYlNoDrw/11JlAMOnwJKwIbF/eDK3HVkuhSNOBSPAetpSnPRImleMm5cxRj30/RpehJTW180h5rznqKHEotvCJlC1ypG1VTTpPbmXHmDRbWwmZyIFFrWeGQmg/pEExzKq7ZP48A4n47Rm6UyZ8pYFYWqX76e9qIW8twbYv3oC082FYoLXI3twktrd86GTyZiX8LU2/zFg6OAiFGmFQFPwOaLCut87RASL6iDFmwEmaiQIDAQAB"],"checkedAtMs":1795257949430,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795257949430,"standing":true,"failedSinceMs":null}}',1795344349430,'prcd6ed0cd','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApin/7Hgn4uMemeOY8Lko6ZU/0JJZn6HHKaKeM7X17VqwFJ/OFJs6YlXAb1FjXhWe+ZpZx63Q2+n9G7vGLdjf5/HWh8QXbm7yH5mAhJbPpWhYlNoDrw/11JlAMOnwJKwIbF/eDK3HVkuhSNOBSPAetpSnPRImleMm5cxRj30/RpehJTW180h5rznqKHEotvCJlC1ypG1VTTpPbmXHmDRbWwmZyIFFrWeGQmg/pEExzKq7ZP48A4n47Rm6UyZ8pYFYWqX76e9qIW8twbYv3oC082FYoLXI3twktrd86GTyZiX8LU2/zFg6OAiFGmFQFPwOaLCut87RASL6iDFmwEmaiQIDAQAB',X'5C93C4B224A5DAB045618492C034F3226BE83F334C11D466ABBBC31AC56072CC37D319C8DAE5972382370583AFB5D952B0CF2AAADA77156142C88F8718C30B412B9B5393600759CC8E10D052E18DBBD1D08A912B39843796A97BC1F7EDFD5E2C7742069DFE55B79F2CB96499D6232591654B28DEF1CEC9A1D43BB8F17586A694DEAFFB09CF96FE11AB5EF7E295D8A0AFEE9B058A46421A2B3239C75FF3B6C15ED0424837EEE100BBAE7FF435DE4DFC72F7F246C8BB5F2BFAFE43530DCFD55478EDCAFAC497965CE443E138A0FB0A4AE71A986E2F4180207DEE0FBA9954674C9313044B306DCDEA3B0B25BF07E06E71B21D08AA5F57C9899B76664E54B514F6D0BC71CCA4881A1030437665F19C996BE8B033A4134C16B5E046B0616F06062F97C7A7D92EDA3D6E21366C35BFBEC69D436DC46C202C35C8F3B49E065D593FB4CA4FC21C3503BD4C339B5296ED9722D2B9FAE58AC41811FFF8F80D814F79CAC975482612C27F1F7EB1BF6C71F63760BB7B2AADF40364960DD5FDD098E9549B4A609089FBFC4D6EF217183128FB959295011368035467790DC4970131704BB550BA4DF9728BE34A03DC94E3AB2EC19B9C3C1A03987DE5C07E5B5CCAD2F1B58603CA01995CD88403342766FD6A5990FCE1D544F34B98015C1C1D5E461AA507B6C520202ECDC31A48ADF4FA247C86321F984025E8D3E1ACA5F1CF4250F40975A3A53AE3870ABD774E8320EC5BB03690419701507BAF5CDE2C806E4DCB745C933E937112D5FC0D7EA61E39E5FFCCFF163D6834AF96688C6CD8A943F553AA53D8A853064B99DC966D05613A86A8A85B4CF23D6C528E14D07DE8B841FEDFF96B7126393D481068758C25F2A54B702BC8FE615C1BF098219891C989661A1DC3BFE5E12E1CBDABB484E1390EAFB18A9233384E48BE3A2763CCB8F433118D733C3CA481AB5E0DE764DC9E82A00264743E86C1454FD77A88E6448203E855DFF482E2DEA0406CB36748F74F54AA462226C240E665EE773EBB43166A4D915B0795B9F7FE42BB8ADEB5F88486296C64713FE6AA629C3C8D55A953C4B799DC1544632FB6AFF62F7AE215216E0F525CB534D078C04CCE7C1CB80736294ED409E2328DF4AB3A66448A94A606333218AF499A74B476642F7F913CA6D59FBB6D819082B7C1EE753BBD041A2FC181D5C9AA08C56B8AC1D5E1A645444FF7AEF88FF7DCEA43CC73EC56973250610B78B133FEE27544A00748817C59C20411FA13EBAF6C687F2E9567AEB6C3BFBF2CE466AF58E4B1B59286F86D553F524B3DB78B3D97C0EC9E1F5CF9A8357286AA8E352B3E659BD2C4E4D5AB4A75561BD0D0358030B4778D93FEE2F525A49886FB94BBFD04C3CD7098C2CDFBA49BCD2406705F411325100F35868C430A55507DDF22064A245AAEABA7AE0894F4F7961B8BC9CC5E3EE8FD7F15FDC40A97A8B39F91B8DA0D99D607577C709BBD1BF33F638B9124A59B78C2DB68C7D72B5A820DDE87A42EE3C9E7C5BB492FC2FDF9F294390E68A99987D73A47D71BA8AFA3AA0FA62B2B8A88F178704EC8D8CECE4919C3FD1C7AA4223C67E84A07689D9843CFF9ABC4033058A238705708D61578A778110AEE38F8B1DAFC84CA170FD035F1E5F885CFFF989E84299E94979ED6536128E2ABEB8051D25D2C441E0F490AD4C284165A994D3505EE5EC4D0764C487369281498CED6CC3B2ACFEEB2D235EB164CDABBCA3F2294E3219CC195E09A20CD2FDB53E902E925403CAF07F2A29F79AF4753DD4FFCC85FC8E7D1847B91B1D9D1BE8485996AF951EE8B4205307D65D9F4F96E226DF881ACDB62B10F146047BB6D55145D6FB1FB7AC76C2345625C1169EF53D4D6EC2955E70D4E707461F0E313A510DCD721BF35CCBF3C494BFAB35CC98D93E51251DF0E17C255AD96D9AC6A8C636219F95E0A701F27A744C05B6EF4125EB836E5DC31D3A640DCD1F7FE73048E17982C7CCBB48A9AB8D53D89865F177E75DE0A243C44103981606E965B7CBE0FAFFBB97496BF77653BAE13B0D6523102769D221C2C852E9072C01616CC89A12FFF022230E96659F37F357FCB3681D007ED3EF624729634440919F4EBF7EAB0A5C2A6F90E5E96186BF6E561E587691D91B6D6246738A136A54B7629B3EF334396D07934F4A97278A345784D794ACEC53D87A7DA8E445BFBE97267B249CD63BF4A94ED111675BC8A14C75F9D4CF4116015B9EE495F47B3612B7687A7A090B4505FD950779227372B60902A7130DA44F08416327D2E6EBF48583F65DCF4528BC6E95E6AF1DBAF9EA25EF26C762141AA87B694A7B14FE1688B0CDF150DB202E0D619F80A463E85AAFF05FC0B06DCC2DB0B7938F359D6E4520FC38FC0264B7C6D0638A3E85AC20ABFAC62DF0CE49452CE92E7E35EEF60C2A98890DBF222D64FA73F61FF2962A5669E4F122A3D3E58B6FB3A2F1775F3902C81F6B3');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P6xhaHeDKEjec5buVjLrchW','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257951402,1795257952336,1795430751402,'hello@shop.example','Settled','<7B_AgwHHhfh9ugwOPeb8J1IY@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P6xhaXVQfuUKxTliVND84P0','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257952416,1795257952499,1795430752416,'hello@shop.example','Hello','<LwY_HDyw4dxF8SIsXGeZPnFy@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P6xha_kcRGVIjv6RF0HXCmX','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257952624,1795257952680,1795430752624,'hello@shop.example','Hello','<j3ysiSiQnyVNXV24TdB_qKjZ@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P6xhabU0l3EcWzZyGjpqKL_','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257952735,1795257952744,1795430752735,'hello@shop.example','Hello','<Ylr-tFuyn0xyDlyEoYm56d7n@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P6xhacUgy3DWm9MRYXA8tL3','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257952799,1795257952799,1795430752799,'hello@shop.example','Hello','<eXsXT6of9Hn6EFJSWiel4RpX@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P6xhadFvJiyI3Jc4Azbo8Bz','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257952848,1795257952892,1795430752848,'hello@shop.example','In doubt','<J3XqDtFrOp3iaySTNQOB9hAd@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P6xhafrJQD-15B6QeClvap7','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257953015,1795257953154,1795430753015,'hello@shop.example','Marked','<AlyRI4dCgcEjxXFskYwayGFr@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P6xhais8CfYGoi0YyYWymxY','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257953208,1795257953380,1795430753208,'hello@shop.example','Waiting','<yWqocU2zlDYomhX_cXTDJ-zy@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P6xhamP_StXmjE1qY0retRj','acc_default','key_-eNyLxIkPRC5cRBV','dom_Jp3nZ3qA7ClTfJQi',1795257953434,1795257953496,1795430753434,'hello@shop.example','Extras','<kUHhk6sa-NfRl1QYyA6ls8vi@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C37425F4167774848686668397567774F506562384A3149594073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C4C77595F4844797734647846385349735847655A506E46794073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C6A337973695369516E79564E585632345464425F714B6A5A4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C596C722D744675796E307879446C79456F596D353664376E4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C6558735854366F6639486E3645464A535769656C345270584073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C4A335871447446724F703369617953544E514F42396841644073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C416C7952493464436763456A785846736B597761794746724073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C7957716F6355327A6C44596F6D68585F635854444A2D7A794073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C6B5548686B3673612D4E66526C3151597941366C733876694073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257952336,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8dft-5941a882fe63","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795257952336,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795257952499,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795257952680,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795257952744,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795257952799,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795257952892,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795257953154,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795257953380,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795257953226,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257953496,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8ed6-8f625a282959","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257953496,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8ed6-8f625a282959","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc');
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795257952336,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8dft-5941a882fe63"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795257952336,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795257952499,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795257952680,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795257952744,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795257952799,"type":"suppressed","since_ms":1795257952744,"until_ms":1797849952499,"refusals":[{"at_ms":1795257952499,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795257952680,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795257952744,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795257952892,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795257953154,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795257953380,"type":"deferred","attempt":1,"reason":"temporarily_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":1795262022780}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795257953226,"type":"deferred","attempt":1,"reason":"connection_failed","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:37285"}],"next_attempt_at_ms":1795260907131}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795257953496,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8ed6-8f625a282959"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795257953496,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8ed6-8f625a282959"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P6xhaHeDKEjec5buVjLrchW',1795257951402);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20778,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"mx.customers.example","window":4.049865229110512,"threshold":3.5},{"name":"mx.later.example","window":5,"threshold":5}],"addresses":[{"address":"127.0.0.2","port":37285,"failures":1,"sinceMs":1795257953226,"probeAtMs":1795257954226,"isProbed":false,"error":"connect ECONNREFUSED 127.0.0.2:37285"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795257952744,'[{"at_ms":1795257952499,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795257952680,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795257952744,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_RlXTEbt5QAqTwKpD',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_RlXTEbt5QAqTwKpD','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795257949430);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.',1795257949430);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example lets 127.0.0.1 send.',1795257949430);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at prcd6ed0cd._domainkey.shop.example.',1795257949430);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795257949430);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_Jp3nZ3qA7ClTfJQi','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApin/7Hgn4uMemeOY8Lko6ZU/0JJZn6HHKaKeM7X17VqwFJ/OFJs6YlXAb1FjXhWe+ZpZx63Q2+n9G7vGLdjf5/HWh8QXbm7yH5mAhJbPpWhYlNoDrw/11JlAMOnwJKwIbF/eDK3HVkuhSNOBSPAetpSnPRImleMm5cxRj30/RpehJTW180h5rznqKHEotvCJlC1ypG1VTTpPbmXHmDRbWwmZyIFFrWeGQmg/pEExzKq7ZP48A4n47Rm6UyZ8pYFYWqX76e9qIW8twbYv3oC082FYoLXI3twktrd86GTyZiX8LU2/zFg6OAiFGmFQFPwOaLCut87RASL6iDFmwEmaiQIDAQAB',X'5C93C4B224A5DAB045618492C034F3226BE83F334C11D466ABBBC31AC56072CC37D319C8DAE5972382370583AFB5D952B0CF2AAADA77156142C88F8718C30B412B9B5393600759CC8E10D052E18DBBD1D08A912B39843796A97BC1F7EDFD5E2C7742069DFE55B79F2CB96499D6232591654B28DEF1CEC9A1D43BB8F17586A694DEAFFB09CF96FE11AB5EF7E295D8A0AFEE9B058A46421A2B3239C75FF3B6C15ED0424837EEE100BBAE7FF435DE4DFC72F7F246C8BB5F2BFAFE43530DCFD55478EDCAFAC497965CE443E138A0FB0A4AE71A986E2F4180207DEE0FBA9954674C9313044B306DCDEA3B0B25BF07E06E71B21D08AA5F57C9899B76664E54B514F6D0BC71CCA4881A1030437665F19C996BE8B033A4134C16B5E046B0616F06062F97C7A7D92EDA3D6E21366C35BFBEC69D436DC46C202C35C8F3B49E065D593FB4CA4FC21C3503BD4C339B5296ED9722D2B9FAE58AC41811FFF8F80D814F79CAC975482612C27F1F7EB1BF6C71F63760BB7B2AADF40364960DD5FDD098E9549B4A609089FBFC4D6EF217183128FB959295011368035467790DC4970131704BB550BA4DF9728BE34A03DC94E3AB2EC19B9C3C1A03987DE5C07E5B5CCAD2F1B58603CA01995CD88403342766FD6A5990FCE1D544F34B98015C1C1D5E461AA507B6C520202ECDC31A48ADF4FA247C86321F984025E8D3E1ACA5F1CF4250F40975A3A53AE3870ABD774E8320EC5BB03690419701507BAF5CDE2C806E4DCB745C933E937112D5FC0D7EA61E39E5FFCCFF163D6834AF96688C6CD8A943F553AA53D8A853064B99DC966D05613A86A8A85B4CF23D6C528E14D07DE8B841FEDFF96B7126393D481068758C25F2A54B702BC8FE615C1BF098219891C989661A1DC3BFE5E12E1CBDABB484E1390EAFB18A9233384E48BE3A2763CCB8F433118D733C3CA481AB5E0DE764DC9E82A00264743E86C1454FD77A88E6448203E855DFF482E2DEA0406CB36748F74F54AA462226C240E665EE773EBB43166A4D915B0795B9F7FE42BB8ADEB5F88486296C64713FE6AA629C3C8D55A953C4B799DC1544632FB6AFF62F7AE215216E0F525CB534D078C04CCE7C1CB80736294ED409E2328DF4AB3A66448A94A606333218AF499A74B476642F7F913CA6D59FBB6D819082B7C1EE753BBD041A2FC181D5C9AA08C56B8AC1D5E1A645444FF7AEF88FF7DCEA43CC73EC56973250610B78B133FEE27544A00748817C59C20411FA13EBAF6C687F2E9567AEB6C3BFBF2CE466AF58E4B1B59286F86D553F524B3DB78B3D97C0EC9E1F5CF9A8357286AA8E352B3E659BD2C4E4D5AB4A75561BD0D0358030B4778D93FEE2F525A49886FB94BBFD04C3CD7098C2CDFBA49BCD2406705F411325100F35868C430A55507DDF22064A245AAEABA7AE0894F4F7961B8BC9CC5E3EE8FD7F15FDC40A97A8B39F91B8DA0D99D607577C709BBD1BF33F638B9124A59B78C2DB68C7D72B5A820DDE87A42EE3C9E7C5BB492FC2FDF9F294390E68A99987D73A47D71BA8AFA3AA0FA62B2B8A88F178704EC8D8CECE4919C3FD1C7AA4223C67E84A07689D9843CFF9ABC4033058A238705708D61578A778110AEE38F8B1DAFC84CA170FD035F1E5F885CFFF989E84299E94979ED6536128E2ABEB8051D25D2C441E0F490AD4C284165A994D3505EE5EC4D0764C487369281498CED6CC3B2ACFEEB2D235EB164CDABBCA3F2294E3219CC195E09A20CD2FDB53E902E925403CAF07F2A29F79AF4753DD4FFCC85FC8E7D1847B91B1D9D1BE8485996AF951EE8B4205307D65D9F4F96E226DF881ACDB62B10F146047BB6D55145D6FB1FB7AC76C2345625C1169EF53D4D6EC2955E70D4E707461F0E313A510DCD721BF35CCBF3C494BFAB35CC98D93E51251DF0E17C255AD96D9AC6A8C636219F95E0A701F27A744C05B6EF4125EB836E5DC31D3A640DCD1F7FE73048E17982C7CCBB48A9AB8D53D89865F177E75DE0A243C44103981606E965B7CBE0FAFFBB97496BF77653BAE13B0D6523102769D221C2C852E9072C01616CC89A12FFF022230E96659F37F357FCB3681D007ED3EF624729634440919F4EBF7EAB0A5C2A6F90E5E96186BF6E561E587691D91B6D6246738A136A54B7629B3EF334396D07934F4A97278A345784D794ACEC53D87A7DA8E445BFBE97267B249CD63BF4A94ED111675BC8A14C75F9D4CF4116015B9EE495F47B3612B7687A7A090B4505FD950779227372B60902A7130DA44F08416327D2E6EBF48583F65DCF4528BC6E95E6AF1DBAF9EA25EF26C762141AA87B694A7B14FE1688B0CDF150DB202E0D619F80A463E85AAFF05FC0B06DCC2DB0B7938F359D6E4520FC38FC0264B7C6D0638A3E85AC20ABFAC62DF0CE49452CE92E7E35EEF60C2A98890DBF222D64FA73F61FF2962A5669E4F122A3D3E58B6FB3A2F1775F3902C81F6B3',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795257900000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795257600000,23,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795257600000,39,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
PRAGMA user_version = 6;
