-- A spool of schema 11, made by the code that had it.
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
  , crc32 INTEGER, body_hash TEXT, tail INTEGER, later_parts INTEGER) STRICT;
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
    mark TEXT, field TEXT, category TEXT,
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
CREATE INDEX domains_due_by_account ON domains (account_id, next_check_at_ms, removed_at_ms) WHERE removed_at_ms IS NULL;
CREATE TABLE quarantined (
    seq INTEGER PRIMARY KEY,
    message_id TEXT,
    account_id TEXT,
    found_at_ms INTEGER NOT NULL,
    part TEXT NOT NULL,
    error TEXT NOT NULL
  ) STRICT;
CREATE TABLE content_parts (
    number INTEGER PRIMARY KEY,
    content BLOB NOT NULL,
    crc32 INTEGER NOT NULL
  ) STRICT;
CREATE TABLE staged (
    tail INTEGER PRIMARY KEY
  ) STRICT;
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795382932352,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_-i-vAJHD7FOehYgj','ann@shop.example','acc_default','scrypt$65536$8$1$CoxHcMAH5zTfNCLOxbGlzw==$iv2SlLcMXMpqfoQ0dr30CDk8CK1+FyKW8Jx/M6Wj2hg=',1,1795382932672,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_GSDUo4ox5nLKCSon','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795382934250,1795382935865,NULL,9);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_plFJVuOVtau4GbeI','acc_default','shop.example','XCKg5PypVFBwcELUpnB4rJqR-n10bmpM',1795382932749,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=XCKg5PypVFBwcELUpnB4rJqR-n10bmpM","found":["postrider-verification=XCKg5PypVFBwcELUpnB4rJqR-n10bmpM"],"checkedAtMs":1795382932749,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Messages to shop.example are sent to mail.shop.example.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"warnings":[],"checkedAtMs":1795382932749,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example authorizes 127.0.0.1.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795382932749,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at prab627da8._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAnxy2zFVzXbK+TqEYZrkSZRa70hKY0rYh8g2Ae+T9TuwkClNMCwyhnDnFw98k1I0MmJTxKiWSNjNUKNigfrKesF3hEW+SmWhHK7yTC47P02HBQZI6iSXtFeaehYZjpIglzwyadk+42RISATfdmaufuzuqFhJv00KsIuZPDyrEmlQvz6fIzPkMwz/G13yDZmhkub/vFhjbejhjx1e1IeaxVatZ5YsikdtRdu3mvJvWkjyEMLlW3v9WQpV/Cjzdme9GnhldyCxgyP63Wh2x3e9KkHPTScKyFCZSjJGM0Jf5BXYDFsb/g4LiePi5smhwGmiQOygwahEPsnEWukLw2nyDXwIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAnxy2zFVzXbK+TqEYZrkSZRa70hKY0rYh8g2Ae+T9TuwkClNMCwyhnDnFw98k1I0MmJTxKiWSNjNUKNigfrKesF3hEW+SmWhHK7yTC47P02HBQZI6iSXtFeaehYZjpIglzwyadk+42RISATfdmaufuzuqFhJv00KsIuZPDyrEmlQvz6fIzPkMwz/G13yDZmhkub/vFhjbejhjx1e1IeaxVatZ5YsikdtRdu3mvJvWkjyEMLlW3v9WQpV/Cjzdme9GnhldyCxgyP63Wh2x3e9KkHPTScKyFCZSjJGM0Jf5BXYDFsb/g4LiePi5smhwGmiQOygwahEPsnEWukLw2nyDXwIDAQAB"],"warnings":[],"checkedAtMs":1795382932749,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"warnings":[],"checkedAtMs":1795382932749,"standing":true,"failedSinceMs":null}}',1795469332749,'prab627da8','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAnxy2zFVzXbK+TqEYZrkSZRa70hKY0rYh8g2Ae+T9TuwkClNMCwyhnDnFw98k1I0MmJTxKiWSNjNUKNigfrKesF3hEW+SmWhHK7yTC47P02HBQZI6iSXtFeaehYZjpIglzwyadk+42RISATfdmaufuzuqFhJv00KsIuZPDyrEmlQvz6fIzPkMwz/G13yDZmhkub/vFhjbejhjx1e1IeaxVatZ5YsikdtRdu3mvJvWkjyEMLlW3v9WQpV/Cjzdme9GnhldyCxgyP63Wh2x3e9KkHPTScKyFCZSjJGM0Jf5BXYDFsb/g4LiePi5smhwGmiQOygwahEPsnEWukLw2nyDXwIDAQAB',X'E59DC3887C6F015982D2621459572849A83891D19689A1CEEBC42A6EE1BDA67F1E4C46276DC00CCAAA0AA8B9D36180723366D2B9C63B8B5A261544684320897787CC29F449EEDD65446BA5E288AAB32C96F4D2B630E80D54858F64A60AF8C58914C48D228864B53EC242465C6A7ACD147B00E3C8DB369ADE0E36B87489188564908412AAFDE36E8D9634724E8E3A2AC83B6E6855CA66479C4CE45DDCB0E83F9651856290F83C5EE86A3DB2E960874A74CD9EDD257A4356EA7C8487A09530200EFBA1F6B6AE331C1826AA7EF559E0B3BEDCA2D3DE35BD7D0041E0BFA3CEC42E9E5006FBA5EA9BDF85C6563F01B00DE562DCD2E7C78A4CBD98F3FC1F79467841F8A647541566FE3A435131A8A81E37A69BAE0EC9FBE70FD462F5484B4A15CE8FF9A6CFF02C90A5EB93C0F09F83AB6F6F2A6A63A4DD129D721CB1C4C031E3398BED47CAFD787C049A1B63C686FD6AA28EF0B4D0AB6155F1F2D9EB780A9DA86317BE7B420C1F785559CDC15796D96E7F4456E9CC4B8792B497748CE9BB3148970957746FEAF91A83A6741B1A8DBC12E4B4939375BE144208AF597C8A51BAE6AB0CF227CCC57BFCD2D57DD431B9B8677547AA3642387D0A646D0D0B41FFDCA642D892754B364F31BEA744C2A00995693E110BBFEAD116CCA003841634E5AC9DCF218912D128BF9AB5947D026A3A82BB349DF3A6B15257097D981D208578CBF1FB953544AA9220687D249A0ED5C0CA8D933A785D172EF54AA827469BD5C17D5FB381BCCADF2F351B4F4B2AB40DEB8E533C580AE0FF50B7213F212A339DF7691C5462BE8AB0A4D9A8037B4AF681AF6FFDF77DBD346D92DFFC8CBB1FBB22AFFE0BE9C736DFDD29ABED85A638C95E518343E844F0B99F2691E93493384E564224716AC594F43AE4B239934D0BF93AC3109AC1E88C2CF08097343EB2EA1A5F23B686EFA0E37FDB47C86F73403D83FEF9411FD66597D7F66753BC9C222272B5DD0EC53E7745C31A328A145E9FCAA250B038802C1B6A9E53CB9C034BA6ED4393953ACAE78D07222594CA2B62BB7764F0C7102B868EE42E2EC35AB62A84CC980A1B16985A9482F551AEDB7D947E975E3BAECB6BBF0F31C61E25BDDC9EF3FCDB6C8AF3C01EC45A815EA8CECC1CE02D2C3180CEDA4D944A09ECB4B71F1584636D775A2EFA85385234529E5C74C59F738E1B27925D7D48CB8202E742157664A80245F83445FBD4C07DC96833EC85A0E7137EF7055AFCECE326A2854D593160C0F1C82032F061C9A426D328320867466DC5FEC3E25DB013D80FF4D809C3DC8680E727DCCFF20379EA2130C43F1E2B5D9C20B549CBA072AF4447C4D5A63DC7E5172A5E5A3E53E61B9E3110045704CC6614D54DF612601D79B2B216FD446D223109CD6593E50D86B21D4E0B104FB15F45FC87F078F331DCADB236970A0C652CF405C4214CC6E6D5820D9A409ED4F3C6D68075F8B0829578EED196160E7415531B466FBD0D2660989DE755173A6C82C2E280A70025DFE8EBF1B0C5C0451DEE5F7C293CC58A17EA9E1C3CB93623965B9381210E0BDF694AF177475B7741BD86899F82490F78CC1749599A539D2406710E93910D93016133348642598D69A1D4D151FB46BBED0881F14390EF2525C73E9738C85669404260A95E8FD12C9CE6DD4F88749BCD89EDE91FFB47EB7AFC50E5ACACC954681F40D3EF12962D8787C9649D6BE0D28B48127EDA975385D5B1941369410C8CD7A50712C4A0B9414605FA66347378DB9A7AB9B49EA62F3A857BC1B342320CE15A4B3603EE221FF62162857834E6F886EB1E4A2C3EA1C9C111CD80F78A9816D8D09AA5EE9B650C551EA1865B45078CBDD3C3FF0AC63740E80FEAA71D7264C70B862E2F3E34FEDF459F66CE5C2502A11C4630AD42673B30034339CA49410363095C0F8BB701E2E70C2E86DEC4A767981980D8A589B3234AD40230648DC293DC618172BE906398FB44C2039B46C70FAE517315D918B74D45A64FF737ED1689CB8BE35FE49919CCF730F868393D158A205AB16AF7B5BFDAA86E8F3CC9E27AA80831F2A5DD867AB5FBCE861561FF15221BD83A8ACBAE3F7F35A8AEB87EF78B6824B1089529D3149226FD3C12C127C53BB68F0912C12FA69E0CFBC2D362BA57EB3F51E61C45ECDFF65C0E6BB2144DFA9FA03CBD6751DEC67CB57AD682D6CFF32C395DE0F0A9C1E1C5038A1BA800459B06EFD66EE592C4618595BA45650FFB49E919C3A5EB431895160E5BCEB51409B8566EF412D8AE8ECF873C7B3A6C04912D159368A8BD2A278067D21FE717F545BE51D7376D1AFAA43EC8BAD7A7D4FB96512133D7EECA73379D3F5BB4D3E24520FBAD06FFC757C5E78F9C6E76267DAA6171D96FFD055F5269722382ED20EFE60A2255809D881C0E3F211F8B19CE2227E174E7C6E2E506C3F9C2BFF29AD5AD82F70885A15585507618B17B6CE8BF480B');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P749MgQ6UwO-Zzs924r8g2D','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382934299,1795382934822,1795555734299,'hello@shop.example','Settled','<C1yyT_I2fARthBAXBMIQHtYw@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P749MpUEzxKULw8jxu1Yfo9','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382934879,1795382934985,1795555734879,'hello@shop.example','Hello','<KMZhsWcwg88uEIBCjV7l8OzK@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P749MsRV7-wfJ88kLBo-40N','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382935068,1795382935068,1795555735068,'hello@shop.example','Hello','<H2ZX9qrABvdqM9TmHxuB-K8R@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P749MtPPc9GUPyEi-SwpxOK','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382935130,1795382935130,1795555735130,'hello@shop.example','Hello','<9C_TRqwW-G9YLi2M7Pz0iNtV@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P749Mtkv8b-d0SNgK_kLmVX','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382935152,1795382935152,1795555735152,'hello@shop.example','Hello','<NHpBTF_7FK2F86B81jJHvcOm@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P749MtquB5I1zjdYrBaY69Z','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382935158,1795382935256,1795555735158,'hello@shop.example','In doubt','<wftujEB-xNH_PRc1jVqP6cAF@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P749MvkOI17hk6E75T_55-2','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382935280,1795382935546,1795555735280,'hello@shop.example','Marked','<MJAaky1tHd19iFN6d-WTgmqP@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P749N-gJKaMOgJW52htQTxa','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382935596,1795382935793,1795555735596,'hello@shop.example','Waiting','<tainm_rxEdri_C6Ah7Almvx2@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P749N316U-ofDBvaGieaXiY','acc_default','key_GSDUo4ox5nLKCSon','dom_plFJVuOVtau4GbeI',1795382935810,1795382935842,1795555735810,'hello@shop.example','Extras','<H7Y8Em0WW2_go_VsZQqXbgiZ@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C43317979545F49326641527468424158424D4951487459774073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3534202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',510035946,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C4B4D5A687357637767383875454942436A56376C384F7A4B4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3534202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',439891006,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C48325A5839717241427664714D39546D487875422D4B38524073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',526644653,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C39435F54527177572D4739594C69324D37507A30694E74564073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1985762587,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C4E48704254465F37464B324638364238316A4A4876634F6D4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1611089714,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C776674756A45422D784E485F505263316A567150366341464073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3977649689,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C4D4A41616B7931744864313969464E36642D5754676D71504073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1299647849,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C7461696E6D5F7278456472695F4336416837416C6D7678324073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1836919766,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C48375938456D305757325F676F5F56735A5171586267695A4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362032313A32383A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2080840543,'LaegeaE4sWd4l9K7YWNlAinmqUePEZwKG9dMjiYmLn8=',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795382934822,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwscn6i9-35cfec10138a","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795382934822,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795382934985,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795382935068,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795382935130,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795382935152,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795382935256,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795382935546,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795382935793,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795382935711,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795382935842,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwscn7dk-2b51854a0719","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795382935842,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwscn7dk-2b51854a0719","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795382934822,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwscn6i9-35cfec10138a"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795382934822,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795382934985,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795382935068,"type":"suppressed","since_ms":1795382934985,"until_ms":1797974934985,"refusals":[{"at_ms":1795382934985,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795382935130,"type":"suppressed","since_ms":1795382934985,"until_ms":1797974934985,"refusals":[{"at_ms":1795382934985,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795382935152,"type":"suppressed","since_ms":1795382934985,"until_ms":1797974934985,"refusals":[{"at_ms":1795382934985,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795382935256,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795382935546,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795382935793,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795387115695}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795382935711,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:39047"}],"next_attempt_at_ms":1795386571152}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795382935842,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwscn7dk-2b51854a0719"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795382935842,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwscn7dk-2b51854a0719"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P749MgQ6UwO-Zzs924r8g2D',1795382934299);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20779,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"*.customers.example","window":2.1666666666666665,"threshold":1.5},{"name":"*.later.example","window":2.5,"threshold":2.5}],"addresses":[{"address":"127.0.0.2","port":39047,"failures":1,"sinceMs":1795382935711,"probeAtMs":1795382936711,"error":"connect ECONNREFUSED 127.0.0.2:39047"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795382934985,'[{"at_ms":1795382934985,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_-i-vAJHD7FOehYgj',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_-i-vAJHD7FOehYgj','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795382932749);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Messages to shop.example are sent to mail.shop.example.',1795382932749);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example authorizes 127.0.0.1.',1795382932749);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at prab627da8._domainkey.shop.example.',1795382932749);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795382932749);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_plFJVuOVtau4GbeI','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAnxy2zFVzXbK+TqEYZrkSZRa70hKY0rYh8g2Ae+T9TuwkClNMCwyhnDnFw98k1I0MmJTxKiWSNjNUKNigfrKesF3hEW+SmWhHK7yTC47P02HBQZI6iSXtFeaehYZjpIglzwyadk+42RISATfdmaufuzuqFhJv00KsIuZPDyrEmlQvz6fIzPkMwz/G13yDZmhkub/vFhjbejhjx1e1IeaxVatZ5YsikdtRdu3mvJvWkjyEMLlW3v9WQpV/Cjzdme9GnhldyCxgyP63Wh2x3e9KkHPTScKyFCZSjJGM0Jf5BXYDFsb/g4LiePi5smhwGmiQOygwahEPsnEWukLw2nyDXwIDAQAB',X'E59DC3887C6F015982D2621459572849A83891D19689A1CEEBC42A6EE1BDA67F1E4C46276DC00CCAAA0AA8B9D36180723366D2B9C63B8B5A261544684320897787CC29F449EEDD65446BA5E288AAB32C96F4D2B630E80D54858F64A60AF8C58914C48D228864B53EC242465C6A7ACD147B00E3C8DB369ADE0E36B87489188564908412AAFDE36E8D9634724E8E3A2AC83B6E6855CA66479C4CE45DDCB0E83F9651856290F83C5EE86A3DB2E960874A74CD9EDD257A4356EA7C8487A09530200EFBA1F6B6AE331C1826AA7EF559E0B3BEDCA2D3DE35BD7D0041E0BFA3CEC42E9E5006FBA5EA9BDF85C6563F01B00DE562DCD2E7C78A4CBD98F3FC1F79467841F8A647541566FE3A435131A8A81E37A69BAE0EC9FBE70FD462F5484B4A15CE8FF9A6CFF02C90A5EB93C0F09F83AB6F6F2A6A63A4DD129D721CB1C4C031E3398BED47CAFD787C049A1B63C686FD6AA28EF0B4D0AB6155F1F2D9EB780A9DA86317BE7B420C1F785559CDC15796D96E7F4456E9CC4B8792B497748CE9BB3148970957746FEAF91A83A6741B1A8DBC12E4B4939375BE144208AF597C8A51BAE6AB0CF227CCC57BFCD2D57DD431B9B8677547AA3642387D0A646D0D0B41FFDCA642D892754B364F31BEA744C2A00995693E110BBFEAD116CCA003841634E5AC9DCF218912D128BF9AB5947D026A3A82BB349DF3A6B15257097D981D208578CBF1FB953544AA9220687D249A0ED5C0CA8D933A785D172EF54AA827469BD5C17D5FB381BCCADF2F351B4F4B2AB40DEB8E533C580AE0FF50B7213F212A339DF7691C5462BE8AB0A4D9A8037B4AF681AF6FFDF77DBD346D92DFFC8CBB1FBB22AFFE0BE9C736DFDD29ABED85A638C95E518343E844F0B99F2691E93493384E564224716AC594F43AE4B239934D0BF93AC3109AC1E88C2CF08097343EB2EA1A5F23B686EFA0E37FDB47C86F73403D83FEF9411FD66597D7F66753BC9C222272B5DD0EC53E7745C31A328A145E9FCAA250B038802C1B6A9E53CB9C034BA6ED4393953ACAE78D07222594CA2B62BB7764F0C7102B868EE42E2EC35AB62A84CC980A1B16985A9482F551AEDB7D947E975E3BAECB6BBF0F31C61E25BDDC9EF3FCDB6C8AF3C01EC45A815EA8CECC1CE02D2C3180CEDA4D944A09ECB4B71F1584636D775A2EFA85385234529E5C74C59F738E1B27925D7D48CB8202E742157664A80245F83445FBD4C07DC96833EC85A0E7137EF7055AFCECE326A2854D593160C0F1C82032F061C9A426D328320867466DC5FEC3E25DB013D80FF4D809C3DC8680E727DCCFF20379EA2130C43F1E2B5D9C20B549CBA072AF4447C4D5A63DC7E5172A5E5A3E53E61B9E3110045704CC6614D54DF612601D79B2B216FD446D223109CD6593E50D86B21D4E0B104FB15F45FC87F078F331DCADB236970A0C652CF405C4214CC6E6D5820D9A409ED4F3C6D68075F8B0829578EED196160E7415531B466FBD0D2660989DE755173A6C82C2E280A70025DFE8EBF1B0C5C0451DEE5F7C293CC58A17EA9E1C3CB93623965B9381210E0BDF694AF177475B7741BD86899F82490F78CC1749599A539D2406710E93910D93016133348642598D69A1D4D151FB46BBED0881F14390EF2525C73E9738C85669404260A95E8FD12C9CE6DD4F88749BCD89EDE91FFB47EB7AFC50E5ACACC954681F40D3EF12962D8787C9649D6BE0D28B48127EDA975385D5B1941369410C8CD7A50712C4A0B9414605FA66347378DB9A7AB9B49EA62F3A857BC1B342320CE15A4B3603EE221FF62162857834E6F886EB1E4A2C3EA1C9C111CD80F78A9816D8D09AA5EE9B650C551EA1865B45078CBDD3C3FF0AC63740E80FEAA71D7264C70B862E2F3E34FEDF459F66CE5C2502A11C4630AD42673B30034339CA49410363095C0F8BB701E2E70C2E86DEC4A767981980D8A589B3234AD40230648DC293DC618172BE906398FB44C2039B46C70FAE517315D918B74D45A64FF737ED1689CB8BE35FE49919CCF730F868393D158A205AB16AF7B5BFDAA86E8F3CC9E27AA80831F2A5DD867AB5FBCE861561FF15221BD83A8ACBAE3F7F35A8AEB87EF78B6824B1089529D3149226FD3C12C127C53BB68F0912C12FA69E0CFBC2D362BA57EB3F51E61C45ECDFF65C0E6BB2144DFA9FA03CBD6751DEC67CB57AD682D6CFF32C395DE0F0A9C1E1C5038A1BA800459B06EFD66EE592C4618595BA45650FFB49E919C3A5EB431895160E5BCEB51409B8566EF412D8AE8ECF873C7B3A6C04912D159368A8BD2A278067D21FE717F545BE51D7376D1AFAA43EC8BAD7A7D4FB96512133D7EECA73379D3F5BB4D3E24520FBAD06FFC757C5E78F9C6E76267DAA6171D96FFD055F5269722382ED20EFE60A2255809D881C0E3F211F8B19CE2227E174E7C6E2E506C3F9C2BFF29AD5AD82F70885A15585507618B17B6CE8BF480B',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795382880000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795382400000,20,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795382400000,36,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
INSERT INTO content_parts (number, content, crc32) VALUES (1025,X'00',0);
INSERT INTO content_parts (number, content, crc32) VALUES (1026,X'00',0);
INSERT INTO staged (tail) VALUES (1);
PRAGMA user_version = 11;
