-- A spool of schema 12, made by the code that had it.
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
CREATE TABLE outbox (
    account_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    type TEXT NOT NULL,
    detail TEXT,
    PRIMARY KEY (account_id, number)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_by_message ON outbox (seq, sequence);
CREATE INDEX outbox_of_domains ON outbox (account_id, number) WHERE seq = 0;
CREATE TABLE outbox_pruned (
    account_id TEXT PRIMARY KEY,
    number INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE endpoints (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    url TEXT NOT NULL,
    types TEXT,
    keys TEXT,
    domains TEXT,
    created_at_ms INTEGER NOT NULL,
    sealed_secret BLOB NOT NULL,
    former_sealed_secret BLOB,
    former_until_ms INTEGER,
    paused_at_ms INTEGER,
    disabled_at_ms INTEGER,
    disabled_reason TEXT,
    notified_at_ms INTEGER,
    failing_since_ms INTEGER,
    position INTEGER NOT NULL,
    version INTEGER NOT NULL,
    position_version INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
CREATE INDEX endpoints_account ON endpoints (account_id, created_at_ms);
CREATE TABLE endpoint_retries (
    endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
    seq INTEGER NOT NULL,
    next_number INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_attempt_at_ms INTEGER NOT NULL,
    PRIMARY KEY (endpoint_id, seq)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX endpoint_retries_due ON endpoint_retries (endpoint_id, next_attempt_at_ms, next_number);
CREATE TABLE endpoint_attempts (
    endpoint_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    event_number INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    message_id TEXT,
    at_ms INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    result TEXT NOT NULL,
    status INTEGER,
    next_attempt_at_ms INTEGER,
    error TEXT,
    response TEXT NOT NULL,
    PRIMARY KEY (endpoint_id, number)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE requests (
    number INTEGER PRIMARY KEY,
    account_id TEXT,
    failed INTEGER NOT NULL,
    place INTEGER NOT NULL,
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    key_id TEXT,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status INTEGER NOT NULL,
    code TEXT,
    duration_ms INTEGER NOT NULL,
    message_id TEXT
  ) STRICT;
CREATE INDEX requests_by_account ON requests (account_id, failed);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795400576798,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_v-4tsHQhdADaqyQC','ann@shop.example','acc_default','scrypt$65536$8$1$EuEueH25Dxrn3WmMp4gyDg==$UlO+z2d+uZ9+/KRk/nraGUuS58cf0eRIaze1/VI+35A=',1,1795400577085,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_I3abIyaY8ZZ76vmz','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795400577257,1795400578029,NULL,9);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_YoA2psbrXYzVjHP0','acc_default','shop.example','qVv0mOeiOnCn1wSpZMly3c8qYwLZpqa6',1795400577119,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=qVv0mOeiOnCn1wSpZMly3c8qYwLZpqa6","found":["postrider-verification=qVv0mOeiOnCn1wSpZMly3c8qYwLZpqa6"],"checkedAtMs":1795400577119,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Messages to shop.example are sent to mail.shop.example.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"warnings":[],"checkedAtMs":1795400577119,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example authorizes 127.0.0.1.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795400577119,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr02092322._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAo0yh67FlEK2zgiZFnFssvxDZqU408GsMmH1ulF5e8WuLfcA9HpfwVtRnBCGl4CR6dpbvcyNdLi+DxTxnSIOtHtlOpiR9ln7LQ+NG3vJJrIl7xryROLpZnrb5O06mTP+LH0tx+i0c2VaZe2Q1Q5L9nccgpwOVhef4/WyUWaRljKW7yKn8XC+csJpsMTJ/mjrHntHn5CCZJkIFj1hGqpOf5pIMPRX2RByQ5qk8P44WIx8X2ywShI1rgoH9CwDZ18ITrraZ4wvFa1HDbZq0eqNlTkGYDBx07osws0quWOCvfryGFlYLr9k7tHFaxQHwLXbYbNB3lhq/qZax7UuVwO1JOQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAo0yh67FlEK2zgiZFnFssvxDZqU408GsMmH1ulF5e8WuLfcA9HpfwVtRnBCGl4CR6dpbvcyNdLi+DxTxnSIOtHtlOpiR9ln7LQ+NG3vJJrIl7xryROLpZnrb5O06mTP+LH0tx+i0c2VaZe2Q1Q5L9nccgpwOVhef4/WyUWaRljKW7yKn8XC+csJpsMTJ/mjrHntHn5CCZJkIFj1hGqpOf5pIMPRX2RByQ5qk8P44WIx8X2ywShI1rgoH9CwDZ18ITrraZ4wvFa1HDbZq0eqNlTkGYDBx07osws0quWOCvfryGFlYLr9k7tHFaxQHwLXbYbNB3lhq/qZax7UuVwO1JOQIDAQAB"],"warnings":[],"checkedAtMs":1795400577119,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"warnings":[],"checkedAtMs":1795400577119,"standing":true,"failedSinceMs":null}}',1795486977119,'pr02092322','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAo0yh67FlEK2zgiZFnFssvxDZqU408GsMmH1ulF5e8WuLfcA9HpfwVtRnBCGl4CR6dpbvcyNdLi+DxTxnSIOtHtlOpiR9ln7LQ+NG3vJJrIl7xryROLpZnrb5O06mTP+LH0tx+i0c2VaZe2Q1Q5L9nccgpwOVhef4/WyUWaRljKW7yKn8XC+csJpsMTJ/mjrHntHn5CCZJkIFj1hGqpOf5pIMPRX2RByQ5qk8P44WIx8X2ywShI1rgoH9CwDZ18ITrraZ4wvFa1HDbZq0eqNlTkGYDBx07osws0quWOCvfryGFlYLr9k7tHFaxQHwLXbYbNB3lhq/qZax7UuVwO1JOQIDAQAB',X'34CA2EBACD2757B4114A9608183730FCB0E5E48EF70E568F1155C58F246565CF3E785497AD5360E70E9E6A3631AE44173A28CDAFB23AF7C806E4310C3578A797FD916A3495B6285B4BBA67262719EC6EA4683E65FE019A72AFC6D3450F0D89D3DC5FBC41EA86A3C1949498E3DA9BD91180017CC0CF708AE468E44C893739D81BD9BF7831A6844F0EDD57D8613E5040165224144B6F4AF7623CE59CEB720E345D80937B9012BA8FA986B9110FD50AA1509D39091CE6621DE38C55A9B46A6183DDDF1DE8433840DAFAF001473969484BC16D9A9AB8E4937E7DBEEFBE7AF32A5AB4845F72FFC7C783C4BC9810D908E67CB9893A1B375D80829D8C570FEBEF80AB670301EB1AC38271B4A7980B5DDC6A8F01F2312B2D6327E41F82D4DF77C0F330ADF22F2009BF86858FC8090E116B9B70907B4B1997EFAB2171816EE4D16699EEA734B783190C7F92F15E666D957458C6310FBC6A8B1BACC0CC94B832A033B3768BF90ABE4AD29572BDDE7D5E410B534C81E29CCC40DEEF0F5F8AF0CA84673E073626E7AC3065DBD7FE1394131F407C644135B88E5D2FD95EB3606611AFA470FEC95BE68EF0E8C24CCD35C655CC22F0D485957F49261F7391BDDC50859DDB8D453CDE4DCB679AD50E27B8816C08C979007C63D23506FB42244E5F3E4DC5D445A9BAB5B063EBB7A8F2F4BB412F7BA4EE9EAEE9D54E985BAA92B66501553A9A880658368EEC570E0D33B45F25778B51357810D7FAA88061067C5FA339423A0EFA2C362B0787CF635B37D3E5910F364F6161A282599453BAAAAE0509F9D2A7AE01F1E41587462F2BF05ED92D660900184E0B6919831C4ECBF6EB068321B07DF95AEEAEAEA0C6C4036BB21A89D9C91D7D49ADB9B6D901F63D422140F217F22F42B580DAADAC30C1F6356C7BB91B54BB2F3B2C42D7763C9F99A3792A6E8C63F282CA79CC9B0351C0137D757EC1644BB5F36F64CFAC4D332B658FD39B09859923F789761E2A3EB6F1407158D40476E1C811561C11BEBFBDC252B7C79701B4B0D1FAE4186D607803C85F5640056D84F57F034F9810D30DA785858BCAEDEEA4B5424603B0DB3E4D52FD232837876E7E25B6EC876E6F31E7D6E7F3330739BFD349C4B059C20E7D2C918EB9E74BED57B28C2788ACEE66A5A2F496237525B5D8EFF5DEB90C18D0AA0B1DD7ADC34707735DD2D653870D1002E2E47C500E42D891D71A3F35FAD45A3A89C9C74771FDDC670F7D100E2C74E85E8AEB357F205758C3E087A4C1B26939C95E7A84C0D6EE07BC0A84D5A345CEE470D6B67353CE75C2E5FDEBE161D28D57482051B683848BB95EBA7D3DEFED911E0AAA54F07EAFAC9ECF8CC6EE17AEC3827EE73771E7A5AFB63E788C0BB758188DE2D9372F25B40372788B5D33953DEFBCA190E052903C5AD56B042CCD1298567D9B027E4015B8CF0D2C6169D98E3EAEFDF3D314E3CD560CD951FFAD7E88FDBBEFDE5E3B164511E350BF572F43D26608669FEAD5DF939FA576E01BDE7442B72BCD97F1222A7D0398EFA87AC39BEDDFB0BEF911107E2276A279F0FB0679038B0DD07280B439A587330B4C1D874D8ABEED2F54A0CD5C7C2D4D220EE0286D2D6D8FCD19B0F91E8373FB04D98A504A4CDE0A60474423CEEA30D973290AA9D927C3FB90EFCEFDC98E0B0B47DB685E30C3CBD15B698F3A7D228859255EFE1B8525EC605B6B2C1123A0E2689AAC4FEAD6B01627A13DD4CF418B4F9C96A6222E55548512AFA972C5038E381F5BD547BBCCFAD6650BFA87F1D99006A95D6995C987DC930DB7301387FF60B9A26780EC6B8306EF678BA743F37CA7FE73EBFC22C265F9927189C6D3E80F476C206378D50747419DB5B79425FE885D767BEE7EFAB1B201419F6E87448C972C8D4D2A61D382829161CB80777D7D36D55599933610282989D2B4B2EA06BD08962F37D08DE136F9D4CEB25DAD585CEBDA0BD9F55C73EA6485CCE5B02AF66B36876F7928151B221501F837100CA77C6778C31C16EBC00891FAB77A93B46F1ECEB016D5175DB04FB51CBC2229CA9C649BD298C8D1FDE68A6F346A9C9C20F23DA10198450824473E4B23D623578FF052C5361458B623373DB881BA49EAC4131B28F78BC52243FA9078F26740959855F004D78D3CAE469468C247A5966EA3769D2C1243A6FCD18B8B4ADF96601479BED5FC78ADB74167C44C2F6FFFDFC43B4AAEC43E379E4A2E12ABF4432A5BB2A30CB37FB3DA8247F64E625477AC37FEAA4238D74EBC6CCDDC05C963CF28A1C7EFC07874C568D87F2BD1228E98BD0F713BB40A2FB31416A4146AD4B96FB7CD17B8F721BB1F4C31F703B9CB64DCC0DC0E6253DCBA906268A957B90F46BD0DA23398ADBB5F477310BED1C7282C13ADF4FA6B9EB0A3A0D796507F53772B4BB4BD730841C992FC23494B629BB2F3B41B1F1FD2E71076E528A457C68729F4FFCE370CEB61A282');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P75Cf2rVJE2lEhFvKhaYoYO','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577271,1795400577455,1795573377271,'hello@shop.example','Settled','<Ni1wf_1XhXYOQ6tCgjqzZqD_@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P75Cf61cnqVVv9LZr2Fc-AN','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577474,1795400577481,1795573377474,'hello@shop.example','Hello','<676qInT6_u5xQPdOANCk8f4j@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P75Cf6zpG0nqhtdTJjAAwiC','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577535,1795400577535,1795573377535,'hello@shop.example','Hello','<VZu4vx3Jj15IH2gDytWTE1bK@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P75Cf79kMwv4Lhxv-EtleG1','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577546,1795400577546,1795573377546,'hello@shop.example','Hello','<M6nqOHX0REUIl_43nhuHCV1X@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P75Cf7IKt-v7fnoOf8m6zuq','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577555,1795400577555,1795573377555,'hello@shop.example','Hello','<AYGQyWhs-32igcMc-76lEjYL@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P75Cf7VQinbEvYkXC4Ut78h','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577568,1795400577588,1795573377568,'hello@shop.example','In doubt','<NnQ1z-B96r3LhQ0fOWsxNaR0@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P75Cf8VUfQnYduQVmL_ItjP','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577632,1795400577756,1795573377632,'hello@shop.example','Marked','<3PdA5_HNguNWObNzgxSnb18o@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P75CfB3Ce7TLrhb9q62tBDX','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577796,1795400577908,1795573377796,'hello@shop.example','Waiting','<YrpJZHu6nqgUWcm6GzwfxAeB@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P75CfDchSlUfcFVZ9v7AbxR','acc_default','key_I3abIyaY8ZZ76vmz','dom_YoA2psbrXYzVjHP0',1795400577960,1795400577999,1795573377960,'hello@shop.example','Extras','<CrD7WhsjgAHcaJ546BXH0Aq_@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C4E693177665F31586858594F51367443676A717A5A71445F4073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1317521941,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C36373671496E54365F7535785150644F414E436B3866346A4073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',950522397,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C565A75347678334A6A31354948326744797457544531624B4073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1596270915,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C4D366E714F485830524555496C5F34336E687548435631584073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',115176198,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C41594751795768732D33326967634D632D37366C456A594C4073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3544857200,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C4E6E51317A2D42393672334C685130664F5773784E6152304073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',742783499,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C33506441355F484E67754E574F624E7A6778536E6231386F4073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3004383449,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C5972704A5A4875366E71675557636D36477A7766784165424073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3356257664,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C437244375768736A67414863614A3534364258483041715F4073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A32323A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2841063095,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795400577455,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5bq8-bffecfae71e5","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795400577455,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795400577481,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795400577535,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795400577546,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795400577555,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795400577588,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795400577756,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795400577908,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795400577804,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795400577999,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5c59-be43b1441cf8","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795400577999,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5c59-be43b1441cf8","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795400577455,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5bq8-bffecfae71e5"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795400577455,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795400577481,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795400577535,"type":"suppressed","since_ms":1795400577481,"until_ms":1797992577481,"refusals":[{"at_ms":1795400577481,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795400577546,"type":"suppressed","since_ms":1795400577481,"until_ms":1797992577481,"refusals":[{"at_ms":1795400577481,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795400577555,"type":"suppressed","since_ms":1795400577481,"until_ms":1797992577481,"refusals":[{"at_ms":1795400577481,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795400577588,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795400577756,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795400577908,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795404852929}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795400577804,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:42941"}],"next_attempt_at_ms":1795403872639}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795400577999,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5c59-be43b1441cf8"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795400577999,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5c59-be43b1441cf8"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P75Cf2rVJE2lEhFvKhaYoYO',1795400577271);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20780,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"*.customers.example","window":2.1666666666666665,"threshold":1.5},{"name":"*.later.example","window":2.5,"threshold":2.5}],"addresses":[{"address":"127.0.0.2","port":42941,"failures":1,"sinceMs":1795400577804,"probeAtMs":1795400578805,"error":"connect ECONNREFUSED 127.0.0.2:42941"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795400577481,'[{"at_ms":1795400577481,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_v-4tsHQhdADaqyQC',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_v-4tsHQhdADaqyQC','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795400577119);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Messages to shop.example are sent to mail.shop.example.',1795400577119);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example authorizes 127.0.0.1.',1795400577119);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at pr02092322._domainkey.shop.example.',1795400577119);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795400577119);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_YoA2psbrXYzVjHP0','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAo0yh67FlEK2zgiZFnFssvxDZqU408GsMmH1ulF5e8WuLfcA9HpfwVtRnBCGl4CR6dpbvcyNdLi+DxTxnSIOtHtlOpiR9ln7LQ+NG3vJJrIl7xryROLpZnrb5O06mTP+LH0tx+i0c2VaZe2Q1Q5L9nccgpwOVhef4/WyUWaRljKW7yKn8XC+csJpsMTJ/mjrHntHn5CCZJkIFj1hGqpOf5pIMPRX2RByQ5qk8P44WIx8X2ywShI1rgoH9CwDZ18ITrraZ4wvFa1HDbZq0eqNlTkGYDBx07osws0quWOCvfryGFlYLr9k7tHFaxQHwLXbYbNB3lhq/qZax7UuVwO1JOQIDAQAB',X'34CA2EBACD2757B4114A9608183730FCB0E5E48EF70E568F1155C58F246565CF3E785497AD5360E70E9E6A3631AE44173A28CDAFB23AF7C806E4310C3578A797FD916A3495B6285B4BBA67262719EC6EA4683E65FE019A72AFC6D3450F0D89D3DC5FBC41EA86A3C1949498E3DA9BD91180017CC0CF708AE468E44C893739D81BD9BF7831A6844F0EDD57D8613E5040165224144B6F4AF7623CE59CEB720E345D80937B9012BA8FA986B9110FD50AA1509D39091CE6621DE38C55A9B46A6183DDDF1DE8433840DAFAF001473969484BC16D9A9AB8E4937E7DBEEFBE7AF32A5AB4845F72FFC7C783C4BC9810D908E67CB9893A1B375D80829D8C570FEBEF80AB670301EB1AC38271B4A7980B5DDC6A8F01F2312B2D6327E41F82D4DF77C0F330ADF22F2009BF86858FC8090E116B9B70907B4B1997EFAB2171816EE4D16699EEA734B783190C7F92F15E666D957458C6310FBC6A8B1BACC0CC94B832A033B3768BF90ABE4AD29572BDDE7D5E410B534C81E29CCC40DEEF0F5F8AF0CA84673E073626E7AC3065DBD7FE1394131F407C644135B88E5D2FD95EB3606611AFA470FEC95BE68EF0E8C24CCD35C655CC22F0D485957F49261F7391BDDC50859DDB8D453CDE4DCB679AD50E27B8816C08C979007C63D23506FB42244E5F3E4DC5D445A9BAB5B063EBB7A8F2F4BB412F7BA4EE9EAEE9D54E985BAA92B66501553A9A880658368EEC570E0D33B45F25778B51357810D7FAA88061067C5FA339423A0EFA2C362B0787CF635B37D3E5910F364F6161A282599453BAAAAE0509F9D2A7AE01F1E41587462F2BF05ED92D660900184E0B6919831C4ECBF6EB068321B07DF95AEEAEAEA0C6C4036BB21A89D9C91D7D49ADB9B6D901F63D422140F217F22F42B580DAADAC30C1F6356C7BB91B54BB2F3B2C42D7763C9F99A3792A6E8C63F282CA79CC9B0351C0137D757EC1644BB5F36F64CFAC4D332B658FD39B09859923F789761E2A3EB6F1407158D40476E1C811561C11BEBFBDC252B7C79701B4B0D1FAE4186D607803C85F5640056D84F57F034F9810D30DA785858BCAEDEEA4B5424603B0DB3E4D52FD232837876E7E25B6EC876E6F31E7D6E7F3330739BFD349C4B059C20E7D2C918EB9E74BED57B28C2788ACEE66A5A2F496237525B5D8EFF5DEB90C18D0AA0B1DD7ADC34707735DD2D653870D1002E2E47C500E42D891D71A3F35FAD45A3A89C9C74771FDDC670F7D100E2C74E85E8AEB357F205758C3E087A4C1B26939C95E7A84C0D6EE07BC0A84D5A345CEE470D6B67353CE75C2E5FDEBE161D28D57482051B683848BB95EBA7D3DEFED911E0AAA54F07EAFAC9ECF8CC6EE17AEC3827EE73771E7A5AFB63E788C0BB758188DE2D9372F25B40372788B5D33953DEFBCA190E052903C5AD56B042CCD1298567D9B027E4015B8CF0D2C6169D98E3EAEFDF3D314E3CD560CD951FFAD7E88FDBBEFDE5E3B164511E350BF572F43D26608669FEAD5DF939FA576E01BDE7442B72BCD97F1222A7D0398EFA87AC39BEDDFB0BEF911107E2276A279F0FB0679038B0DD07280B439A587330B4C1D874D8ABEED2F54A0CD5C7C2D4D220EE0286D2D6D8FCD19B0F91E8373FB04D98A504A4CDE0A60474423CEEA30D973290AA9D927C3FB90EFCEFDC98E0B0B47DB685E30C3CBD15B698F3A7D228859255EFE1B8525EC605B6B2C1123A0E2689AAC4FEAD6B01627A13DD4CF418B4F9C96A6222E55548512AFA972C5038E381F5BD547BBCCFAD6650BFA87F1D99006A95D6995C987DC930DB7301387FF60B9A26780EC6B8306EF678BA743F37CA7FE73EBFC22C265F9927189C6D3E80F476C206378D50747419DB5B79425FE885D767BEE7EFAB1B201419F6E87448C972C8D4D2A61D382829161CB80777D7D36D55599933610282989D2B4B2EA06BD08962F37D08DE136F9D4CEB25DAD585CEBDA0BD9F55C73EA6485CCE5B02AF66B36876F7928151B221501F837100CA77C6778C31C16EBC00891FAB77A93B46F1ECEB016D5175DB04FB51CBC2229CA9C649BD298C8D1FDE68A6F346A9C9C20F23DA10198450824473E4B23D623578FF052C5361458B623373DB881BA49EAC4131B28F78BC52243FA9078F26740959855F004D78D3CAE469468C247A5966EA3769D2C1243A6FCD18B8B4ADF96601479BED5FC78ADB74167C44C2F6FFFDFC43B4AAEC43E379E4A2E12ABF4432A5BB2A30CB37FB3DA8247F64E625477AC37FEAA4238D74EBC6CCDDC05C963CF28A1C7EFC07874C568D87F2BD1228E98BD0F713BB40A2FB31416A4146AD4B96FB7CD17B8F721BB1F4C31F703B9CB64DCC0DC0E6253DCBA906268A957B90F46BD0DA23398ADBB5F477310BED1C7282C13ADF4FA6B9EB0A3A0D796507F53772B4BB4BD730841C992FC23494B629BB2F3B41B1F1FD2E71076E528A457C68729F4FFCE370CEB61A282',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795400520000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795400400000,21,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795400400000,30,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
INSERT INTO content_parts (number, content, crc32) VALUES (1025,X'00',0);
INSERT INTO content_parts (number, content, crc32) VALUES (1026,X'00',0);
INSERT INTO staged (tail) VALUES (1);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',1,'evt_wk9oPHCykDgSx1jO',0,1,1795400577119,'domain.verified','"shop.example"');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',2,'evt_KQBi04It5CFeX6kR',1,1,1795400577271,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',3,'evt_wi6ijNzKRB59Aib3',1,2,1795400577455,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5bq8-bffecfae71e5","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',4,'evt_cKUNc_q9Duye6hT-',1,3,1795400577455,'recipient.failed','{"email":"5xx-550@customers.example","result":"failed","reason":"recipient_refused","category":"other","attempts":1,"smtp":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',5,'evt_QifDFC__1lYohks3',2,1,1795400577474,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',6,'evt_o5TE45t0_O5MppIo',2,2,1795400577481,'recipient.failed','{"email":"nobody@customers.example","result":"failed","reason":"recipient_refused","category":"bad_address","attempts":1,"smtp":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',7,'evt_3gDqNwCGWnZcsQBz',3,1,1795400577535,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',8,'evt_vZLYmLPNz1hXDIcy',3,2,1795400577535,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',9,'evt_0YfsOBEeriYahTAC',4,1,1795400577546,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',10,'evt_ncV27Y6vnZQNJmHF',4,2,1795400577546,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',11,'evt_kkVxRmRiMO4BwoUn',5,1,1795400577555,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',12,'evt_KyM4ck3LDrC7CBoB',5,2,1795400577555,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',13,'evt_oVKvA25GVR2zSVt2',6,1,1795400577568,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',14,'evt_D5baudiu3EPY9Eki',6,2,1795400577588,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',15,'evt_w0ZPk0K6SdUxdVca',7,1,1795400577632,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',16,'evt_NpFLvoRBcMQppeyU',7,2,1795400577756,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',17,'evt_sNdZRMhxxlHDIFV_',8,1,1795400577796,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',18,'evt_-_qW5zhgbfrjDn8J',8,2,1795400577804,'recipient.deferred','{"email":"waiting@later.example","result":"pending","reason":"connection_failed","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',19,'evt_YqUuJLpzJ5XlX4ZH',8,3,1795400577908,'recipient.deferred','{"email":"4xx-451@customers.example","result":"pending","reason":"temporarily_refused","category":"other","attempts":1,"smtp":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',20,'evt_DRrkOkCeXbfMojG9',9,1,1795400577960,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',21,'evt_9GahV3rY71MpUjji',9,2,1795400577999,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5c59-be43b1441cf8","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',22,'evt_I-ktaHaFnnY4SdCQ',9,3,1795400577999,'recipient.delivered','{"email":"copy@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsn5c59-be43b1441cf8","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox_pruned (account_id, number) VALUES ('acc_second',7);
INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret, former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version, position_version) VALUES ('end_fixture','acc_default','https://hooks.example/','["recipient.failed"]',NULL,NULL,1790000000000,X'8C7720C08849303D90CF41BA0C64BA33D675B8203C6AC57A8A15E2BDBD5430345BE294F3A911AA9220CEABFDF5756FD50881AC4F94D9639EDDAF974C336784FDF6BA',NULL,NULL,1790000001000,NULL,NULL,NULL,NULL,22,2,0);
INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms) VALUES ('end_fixture',1,2,4,1,1790000060000);
INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result, status, next_attempt_at_ms, error, response) VALUES ('end_fixture',1,2,'evt_KQBi04It5CFeX6kR','message.accepted','msg_-P75Cf2rVJE2lEhFvKhaYoYO',1790000000000,12,1,'deferred',500,1790000060000,NULL,'an error');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (1,'acc_default',0,1,'req_SEurpKnYis5F1G7W',1795400577280,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,11,'msg_-P75Cf2rVJE2lEhFvKhaYoYO');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (2,'acc_default',0,2,'req_Lide8k8OZy8rLTWy',1795400577306,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf2rVJE2lEhFvKhaYoYO',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (3,'acc_default',0,3,'req_AUJtuFj60yPXOfcL',1795400577359,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf2rVJE2lEhFvKhaYoYO',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (4,'acc_default',0,4,'req_nCOqxhE72_3JCczR',1795400577418,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf2rVJE2lEhFvKhaYoYO',200,NULL,5,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (5,'acc_default',0,5,'req_I676RvFmxzPBz1p7',1795400577472,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf2rVJE2lEhFvKhaYoYO',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (6,'acc_default',0,6,'req_lFX4U5Uwg0TY5PRo',1795400577476,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,3,'msg_-P75Cf61cnqVVv9LZr2Fc-AN');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (7,'acc_default',0,7,'req_-EYgGMaIIxUR-Lmj',1795400577478,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf61cnqVVv9LZr2Fc-AN',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (8,'acc_default',0,8,'req_YEdDvSK3132Z-EJQ',1795400577532,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf61cnqVVv9LZr2Fc-AN',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (9,'acc_default',0,9,'req_1lDKP01lczx0l9qZ',1795400577538,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,4,'msg_-P75Cf6zpG0nqhtdTJjAAwiC');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (10,'acc_default',0,10,'req_Gqvhf0fKDG-SUYEd',1795400577540,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf6zpG0nqhtdTJjAAwiC',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (11,'acc_default',0,11,'req_b0AjqtZxcb_Ljze-',1795400577551,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,5,'msg_-P75Cf79kMwv4Lhxv-EtleG1');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (12,'acc_default',0,12,'req_0f74r47zyvwC0KjW',1795400577553,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf79kMwv4Lhxv-EtleG1',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (13,'acc_default',0,13,'req_K0JV3FcBwx8O9ZGF',1795400577560,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,5,'msg_-P75Cf7IKt-v7fnoOf8m6zuq');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (14,'acc_default',0,14,'req_XsFsmycPT8TzNA7p',1795400577561,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf7IKt-v7fnoOf8m6zuq',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (15,'acc_default',0,15,'req_IF9-QxrvxE5SLQTr',1795400577574,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,7,'msg_-P75Cf7VQinbEvYkXC4Ut78h');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (16,'acc_default',0,16,'req_IcTdTZLIZ0uURyZD',1795400577577,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf7VQinbEvYkXC4Ut78h',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (17,'acc_default',0,17,'req_WWot0FXXyg9u1mp3',1795400577629,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf7VQinbEvYkXC4Ut78h',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (18,'acc_default',0,18,'req_fbzjwkaAGkEzI8F0',1795400577633,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,2,'msg_-P75Cf8VUfQnYduQVmL_ItjP');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (19,'acc_default',0,19,'req_kPkUw0-npbMKPT16',1795400577636,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf8VUfQnYduQVmL_ItjP',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (20,'acc_default',0,20,'req_iFJCCu50zsY0hvF5',1795400577687,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf8VUfQnYduQVmL_ItjP',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (21,'acc_default',0,21,'req_HRDuxLVV2a4pXzsJ',1795400577740,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf8VUfQnYduQVmL_ItjP',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (22,'acc_default',0,22,'req_q31S8pWDVUefpL1t',1795400577792,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75Cf8VUfQnYduQVmL_ItjP',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (23,'acc_default',0,23,'req_v6bbP9paE3En5xGA',1795400577799,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,3,'msg_-P75CfB3Ce7TLrhb9q62tBDX');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (24,'acc_default',0,24,'req_PpACDKnLOj7B9g3p',1795400577802,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75CfB3Ce7TLrhb9q62tBDX',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (25,'acc_default',0,25,'req_tZM7qcOCabwA7xAF',1795400577855,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75CfB3Ce7TLrhb9q62tBDX',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (26,'acc_default',0,26,'req_mBu_xZe6Kj4STRol',1795400577906,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75CfB3Ce7TLrhb9q62tBDX',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (27,'acc_default',0,27,'req_kdCt9WSIwUtv1vFF',1795400577958,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75CfB3Ce7TLrhb9q62tBDX',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (28,'acc_default',0,28,'req_d98WNUthfqv5SkMT',1795400577971,'key_I3abIyaY8ZZ76vmz','POST','/api/sending/send',202,NULL,11,'msg_-P75CfDchSlUfcFVZ9v7AbxR');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (29,'acc_default',0,29,'req_o_t1xScAdnBZi96Q',1795400577977,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75CfDchSlUfcFVZ9v7AbxR',200,NULL,3,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (30,'acc_default',0,30,'req_LdgGLjv9yj66TSQV',1795400578029,'key_I3abIyaY8ZZ76vmz','GET','/api/sending/messages/msg_-P75CfDchSlUfcFVZ9v7AbxR',200,NULL,1,NULL);
PRAGMA user_version = 12;
