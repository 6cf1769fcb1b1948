-- A spool of schema 14, made by the code that had it.
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
  , messages_sent INTEGER NOT NULL DEFAULT 0, test INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
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
  , deadline_ms INTEGER, tags TEXT, metadata TEXT, test INTEGER NOT NULL DEFAULT 0, eight_bit INTEGER NOT NULL DEFAULT 0) STRICT;
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
CREATE TABLE incoming (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    recipient TEXT NOT NULL,
    envelope_sender TEXT NOT NULL,
    ip TEXT NOT NULL,
    received_at_ms INTEGER NOT NULL,
    due_at_ms INTEGER NOT NULL,
    content BLOB NOT NULL
  ) STRICT;
CREATE INDEX incoming_due ON incoming (due_at_ms);
CREATE TABLE feedback (
    seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (seq, position, kind)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE suppressed_addresses (
    account_id TEXT NOT NULL,
    address TEXT NOT NULL,
    cause TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    PRIMARY KEY (account_id, address)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (account_id, at_ms);
CREATE TABLE return_paths (
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    checks TEXT NOT NULL,
    active INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,
    PRIMARY KEY (domain, account_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    sealed BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE dmarc_reports (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    week_ms INTEGER NOT NULL,
    org TEXT NOT NULL,
    report_id TEXT NOT NULL,
    begin_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL,
    received_at_ms INTEGER NOT NULL,
    policy TEXT NOT NULL,
    messages INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    failed_ours INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE INDEX dmarc_reports_domain ON dmarc_reports (account_id, domain, received_at_ms);
CREATE INDEX dmarc_reports_age ON dmarc_reports (received_at_ms);
CREATE TABLE dmarc_report_sources (
    report TEXT NOT NULL,
    position INTEGER NOT NULL,
    ip TEXT NOT NULL,
    ours TEXT NOT NULL,
    messages INTEGER NOT NULL,
    disposition TEXT NOT NULL,
    dkim INTEGER NOT NULL,
    spf INTEGER NOT NULL,
    header_from TEXT NOT NULL,
    PRIMARY KEY (report, position)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE tls_reports (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    week_ms INTEGER NOT NULL,
    org TEXT NOT NULL,
    report_id TEXT NOT NULL,
    begin_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL,
    received_at_ms INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    failed INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE INDEX tls_reports_domain ON tls_reports (account_id, domain, received_at_ms);
CREATE INDEX tls_reports_age ON tls_reports (received_at_ms);
CREATE TABLE tls_report_failures (
    report TEXT NOT NULL,
    position INTEGER NOT NULL,
    policy_type TEXT NOT NULL,
    result_type TEXT NOT NULL,
    mx TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (report, position)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE tls_sessions (
    day INTEGER NOT NULL,
    domain TEXT NOT NULL,
    policy_type TEXT NOT NULL,
    result_type TEXT NOT NULL,
    mx TEXT NOT NULL,
    sending_ip TEXT NOT NULL,
    receiving_ip TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (day, domain, policy_type, result_type, mx, sending_ip, receiving_ip)
  ) STRICT, WITHOUT ROWID;
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795492433991,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_qsKMbhCOV6bsxvyq','ann@shop.example','acc_default','scrypt$65536$8$1$KZ7XNseRwEfKNScQtOGE2g==$Nw6zEmzIHOtGZ7Z6hP2h/zLSU12X5Y2+Pa0zhEof9HA=',1,1795492435148,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent, test) VALUES ('key_eho75fHPW67483vi','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795492437010,1795492440178,NULL,9,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent, test) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_gzlAXw27ejykc5tj','acc_default','shop.example','_PQFSvROCQ8MKN-Nj08yqFGO2k0mcPOT',1795492435413,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=_PQFSvROCQ8MKN-Nj08yqFGO2k0mcPOT","found":["postrider-verification=_PQFSvROCQ8MKN-Nj08yqFGO2k0mcPOT"],"checkedAtMs":1795492435413,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Messages to shop.example are sent to mail.shop.example.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"warnings":[],"checkedAtMs":1795492435413,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example authorizes 127.0.0.1.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795492435413,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at prbcd2bdb1._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvKlM5MFCltjs/m3pXkHHUhYOU9oVD43/2gHfmJXAuyhMjhX9Il9n+Wt+w8Lo0pdIBLyXoilBKeOGfhRftbQChBBIwHoudCItMhC2vK5M4J8lqOfQnKGlHS/dzMLzzvXWwS/FPaOEpX9pb60I85dLbY7nUoL9RYMLioThJ92Q5ttV5+rvxL1YeS6ovsa+ZxIgaCv5R/ZyvQpBGpJNnvuJ2AKSgl4dAxsluTWmd0ziipfhguPPtTKiwBIC3djoO6ZJ2qZ1ZQMY8tIRs8TnXPVuW7M6Q7MEZFqYDmlIsxikCpRrAxuOKgBzzVQ4KVotvrJ03x5THtFplMifwww+AbhH7wIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvKlM5MFCltjs/m3pXkHHUhYOU9oVD43/2gHfmJXAuyhMjhX9Il9n+Wt+w8Lo0pdIBLyXoilBKeOGfhRftbQChBBIwHoudCItMhC2vK5M4J8lqOfQnKGlHS/dzMLzzvXWwS/FPaOEpX9pb60I85dLbY7nUoL9RYMLioThJ92Q5ttV5+rvxL1YeS6ovsa+ZxIgaCv5R/ZyvQpBGpJNnvuJ2AKSgl4dAxsluTWmd0ziipfhguPPtTKiwBIC3djoO6ZJ2qZ1ZQMY8tIRs8TnXPVuW7M6Q7MEZFqYDmlIsxikCpRrAxuOKgBzzVQ4KVotvrJ03x5THtFplMifwww+AbhH7wIDAQAB"],"warnings":[],"checkedAtMs":1795492435413,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"warnings":[],"checkedAtMs":1795492435413,"standing":true,"failedSinceMs":null}}',1795578835413,'prbcd2bdb1','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvKlM5MFCltjs/m3pXkHHUhYOU9oVD43/2gHfmJXAuyhMjhX9Il9n+Wt+w8Lo0pdIBLyXoilBKeOGfhRftbQChBBIwHoudCItMhC2vK5M4J8lqOfQnKGlHS/dzMLzzvXWwS/FPaOEpX9pb60I85dLbY7nUoL9RYMLioThJ92Q5ttV5+rvxL1YeS6ovsa+ZxIgaCv5R/ZyvQpBGpJNnvuJ2AKSgl4dAxsluTWmd0ziipfhguPPtTKiwBIC3djoO6ZJ2qZ1ZQMY8tIRs8TnXPVuW7M6Q7MEZFqYDmlIsxikCpRrAxuOKgBzzVQ4KVotvrJ03x5THtFplMifwww+AbhH7wIDAQAB',X'FD8023B4FFCD62F398CC99398548AA8E9E19407160F7EBD629E49010CA4337F7AA636E8728447EDDAF099E6F9C43E322368AFE7A28C86849248C94AB1140BF260E33CB374DE7B48FA7DD773AEE2D7395C209A73033376F5F8FCF2C41DFD5E35D3D5D040255DC5B1B8238B437888757434B337143CC44D91B29918F5CAA4E492B874CA91F13704A578724A4872634E5B1EEF279F87536037E3AB749FA5E0F886361ED3C921A83D920EF73451F0B6F6A0C75AF977742808C70945BB01F4B09DE6F0A314DF3F6868EF1D7696BF06D858F8FFDCA2E7EF0D3B537338527CE379B0ED71969A517032DD80491BE062344CE9F76804C8F81EA4BB82A10DD86C3A3C5F88FAF51DD88B06E03F639FBAED077C6959E244302C9A4A80742C1A0BD68E67422AD6E9EF051BD532AD8FBF77579A3F54259E76019E7A12F53516DC90CFDED12F786C84F4A814017387B913D7A2B885F55AE02B0E372F84B5632AD75D60221FB31ECD025A83FFA90AE61BA54218A14D8BFF3257E430D91C4441248FD00DDF956F964366FDBA8877F5132A0A80CC99693DBF47DCC511378A2E2D63F40B8570B882577AB1FC61D4EC36AADC509B34F12D9EBE1298B5FEC4B26FA5D7DC1A0A0EAE4EEE0864783A4769835BD9069610FD831C5D99C22FB03792E27B4542E8050CF1925F8CEE5410D51F4AF643653171DC6B699FFEA2233FB266C9489164DFA417E055DCAE40C00B12B31C3A6E685AF30450F11533445839C5D34D29B97A005023C231A4F250C92F2F0A7F4809329E310B5BC19C11BEFE9FDEA868BF8931FC830B5BFFF03F468E430EECFA48AD5996715002E9BCFCBEC646E60258CCB5D315E34B714F3113CBA62C567F84F0A2DD8F3E657064506246733DDD9A6DAC5BC70FF3478C9BBEBBD56B7F0CFE06E900A0EBE6CE22122167B49DBE412C38D8F80C094504727AA080482F56D4974C8435104356A393237A8D1953B5EE8AC937ED4CE8155D6717A9283D16BEA2E337218FEC20F539B390E3C988E3A909DB86B8B9C93A046F2E5D12927DC57EB95B1B35910F337819C34DA577756B179A3EEC82B82B3127988905F8EE1ABF3D04C2B39921DC32FDB3F5B3A1CD616845010536C5D183965B9B9C43C34326161DD8680B90F428206C17630506273895054D3F884138DEAB79BE25F30EF444148CBC630CB523F3B171F36D8F95F4B6BB6964F233FC7B0B9A4A77DF7B59FEA42980A0F072FC1FF1574910D5AFA9A26CE7AFBEEF8C0B0860FBA276841BEBE297D2755627A1697D1956F2C7C84805C9753E0FFB36EE5C8B9438C9E8F5B1B56BC4F1E196C35420886C121C8B95E27E0ABD3E64DE7E3CC6DAC398680C5BCBD92A201B3AB59D1EDA0759C7EDB91EC9247BA85BFB0F4332DF4C3B810F712E6F59FD562AAC47393321F6F43BB5138E5CC4DCC716B5BEC7652AB4293B69B392A0580CF3A765E48D98CBA054B19BEDDD447F9DF79EC67FDAC94A2D4B23D3B845D2BD1204C8BDB174F8ED5EF7F147203E797966A0786FB3EE9BAE1E639900D8CE18AD1665F8FEE5730B0C4BA3AC549F02656BB661C601621BE9115A106D4D83402C42C9E12B59F4AAE8AB079B8D7E97839E12721662EFC03295F4BB9ECAA1BE5D977D99FAC4B0C1A55E8CFB05EFCB45BF5E16292F924F7659CEF77AC4670C2AB5CD28EB428DE21CF302BF12584C0362FC1B126BA4D85D30B8F36EF567F41AE03165FB7CB7C21FE4327B17C7A8AA3D31FEC3222A03F4BBDD78895D26E386B24C605F0CF6F8E29AABA46ACA12A2357452FB63AADCF4EEBE63C108A2A12E8CA055E86FFAEB332E9961DA55CBB35065F9CE71677156A748CBEB010FA6D6C282301F002078CEE64EA13FB287BCB9F2085118322F8F255A7D176CF9DE5EA7C61CD849337F09955BE4E1E8CB6782C6D230A80D58C2E2B2007BC73CFD1DDC61E579C62AFE15ECA1A7CDCB1C62684C1C6BE768B62D0BFB82F89DE23BD0004BECD49208B15CFEDA646BB44C1F3A2D9403CE166B828FF9BDF356704603772F7577600D67B5C1B0783559D1C94A377FB5A0D38A81C17E187186839D91490CEF45639AB04BBB730CA9B8282ED85A27645A55828BCC692A475688960A978F23B163482A2BD9F3ED39A109705AA6013837D4B61A4CC0780CA1AF302DCACE65CB03B69D49AFEADD905B00C379E21C2DADF0B26FFC16FB7141D944D4AF5E5F62EF72BAE0087184E00127DF7080C6DEAA3CD858E347076AA64328C7134B151EADE39BA0F50C121BFBBD160BE3AD8828356A6BDE9987A50F41A1C3006F1C9AC69AAD545710FCDA7503EE243C026B72FF67866EF3C579BB23D402FBB55C93D7EEC7A0838FBC049DEA09DAADABE6AF1EA9DD49521EBED2F8DA43C6B31CAD990159E0F2772CA0563248811146DBC72BED4FDC0CCC9240BF1298162234E6E8EC9B6BF52D9AE02C922F556B67508CEBF356198');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (1,'msg_-P7Ag4m-oCU921k5oqfsTxtX','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492437120,1795492438550,1795665237120,'hello@shop.example','Settled','<JzVY0UGLQYt8ANocrsZcQb36@shop.example>',310,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (2,'msg_-P7Ag5AWbZ12o3C3VsPHFlwn','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492438753,1795492438855,1795665238753,'hello@shop.example','Hello','<_heJhlwRqbPyxcbWo06jRt6w@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (3,'msg_-P7Ag5DgsY8lQBs89iRYt0zB','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492438956,1795492438956,1795665238956,'hello@shop.example','Hello','<495Cg3xgj6U3Rg4mH5burB0K@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (4,'msg_-P7Ag5Fj_a7lg22l5vNk7GuY','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492439087,1795492439087,1795665239087,'hello@shop.example','Hello','<fXkddG5P5XVU0zZ8YXCUDtm5@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (5,'msg_-P7Ag5HGuqlZXilNVNdhLiUo','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492439185,1795492439185,1795665239185,'hello@shop.example','Hello','<filKn0sgoJNmU7LZKMYxh-Ft@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (6,'msg_-P7Ag5ILxwZpaooZMdlytjNK','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492439254,1795492439375,1795665239254,'hello@shop.example','In doubt','<-LCO7WDKEUXVTN6JjMFq0nv-@shop.example>',287,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (7,'msg_-P7Ag5LHnT4hLJlCgDKhfEyd','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492439442,1795492439665,1795665239442,'hello@shop.example','Marked','<cF6aa_ONks_gOaAXAW6uAhFu@shop.example>',285,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (8,'msg_-P7Ag5PKfs6lv_qyKxcaSHcC','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492439701,1795492439973,1795665239701,'hello@shop.example','Waiting','<f5HXXyu9eGu-qN2Z01X-F-Lv@shop.example>',304,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (9,'msg_-P7Ag5UqY05Brr-9GWf81oGs','acc_default','key_eho75fHPW67483vi','dom_gzlAXw27ejykc5tj',1795492440054,1795492440142,1795665240054,'hello@shop.example','Extras','<MNoEtKZPdJ4gbl0ii6mLt1kI@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}',0,0);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C4A7A56593055474C51597438414E6F6372735A63516233364073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35333A3537202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3840780769,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C5F68654A686C775271625079786362576F30366A527436774073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35333A3538202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1747749890,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C34393543673378676A3655335267346D483562757242304B4073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35333A3538202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',772883466,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C66586B646447355035585655307A5A385958435544746D354073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35333A3539202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2420128115,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C66696C4B6E3073676F4A4E6D55374C5A4B4D5978682D46744073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35333A3539202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1720702982,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C2D4C434F3757444B45555856544E364A6A4D4671306E762D4073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35333A3539202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',631475950,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C63463661615F4F4E6B735F674F61415841573675416846754073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35333A3539202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3878925001,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C66354858587975396547752D714E325A3031582D462D4C764073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35333A3539202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3177344329,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C4D4E6F45744B5A50644A3467626C306969366D4C74316B494073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A35343A3030202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2701121721,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795492438550,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u7zh-0241983bc7e3","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795492438550,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795492438855,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795492438956,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795492439087,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795492439185,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795492439375,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795492439665,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795492439973,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795492439812,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795492440142,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u9fp-3bc4b4338496","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795492440142,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u9fp-3bc4b4338496","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795492438550,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u7zh-0241983bc7e3"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795492438550,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795492438855,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795492438956,"type":"suppressed","cause":"refusals","since_ms":1795492438855,"until_ms":1798084438855,"refusals":[{"at_ms":1795492438855,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795492439087,"type":"suppressed","cause":"refusals","since_ms":1795492438855,"until_ms":1798084438855,"refusals":[{"at_ms":1795492438855,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795492439185,"type":"suppressed","cause":"refusals","since_ms":1795492438855,"until_ms":1798084438855,"refusals":[{"at_ms":1795492438855,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795492439375,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795492439665,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795492439973,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795496677267}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795492439812,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:42245"}],"next_attempt_at_ms":1795496145352}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795492440142,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u9fp-3bc4b4338496"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795492440142,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u9fp-3bc4b4338496"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P7Ag4m-oCU921k5oqfsTxtX',1795492437120);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20781,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"*.customers.example","window":2.1666666666666665,"threshold":1.5},{"name":"*.later.example","window":2.5,"threshold":2.5}],"addresses":[{"address":"127.0.0.2","port":42245,"failures":1,"sinceMs":1795492439811,"probeAtMs":1795492440812,"error":"connect ECONNREFUSED 127.0.0.2:42245"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795492438855,'[{"at_ms":1795492438855,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_qsKMbhCOV6bsxvyq',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_qsKMbhCOV6bsxvyq','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795492435413);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Messages to shop.example are sent to mail.shop.example.',1795492435413);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example authorizes 127.0.0.1.',1795492435413);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at prbcd2bdb1._domainkey.shop.example.',1795492435413);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795492435413);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_gzlAXw27ejykc5tj','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvKlM5MFCltjs/m3pXkHHUhYOU9oVD43/2gHfmJXAuyhMjhX9Il9n+Wt+w8Lo0pdIBLyXoilBKeOGfhRftbQChBBIwHoudCItMhC2vK5M4J8lqOfQnKGlHS/dzMLzzvXWwS/FPaOEpX9pb60I85dLbY7nUoL9RYMLioThJ92Q5ttV5+rvxL1YeS6ovsa+ZxIgaCv5R/ZyvQpBGpJNnvuJ2AKSgl4dAxsluTWmd0ziipfhguPPtTKiwBIC3djoO6ZJ2qZ1ZQMY8tIRs8TnXPVuW7M6Q7MEZFqYDmlIsxikCpRrAxuOKgBzzVQ4KVotvrJ03x5THtFplMifwww+AbhH7wIDAQAB',X'FD8023B4FFCD62F398CC99398548AA8E9E19407160F7EBD629E49010CA4337F7AA636E8728447EDDAF099E6F9C43E322368AFE7A28C86849248C94AB1140BF260E33CB374DE7B48FA7DD773AEE2D7395C209A73033376F5F8FCF2C41DFD5E35D3D5D040255DC5B1B8238B437888757434B337143CC44D91B29918F5CAA4E492B874CA91F13704A578724A4872634E5B1EEF279F87536037E3AB749FA5E0F886361ED3C921A83D920EF73451F0B6F6A0C75AF977742808C70945BB01F4B09DE6F0A314DF3F6868EF1D7696BF06D858F8FFDCA2E7EF0D3B537338527CE379B0ED71969A517032DD80491BE062344CE9F76804C8F81EA4BB82A10DD86C3A3C5F88FAF51DD88B06E03F639FBAED077C6959E244302C9A4A80742C1A0BD68E67422AD6E9EF051BD532AD8FBF77579A3F54259E76019E7A12F53516DC90CFDED12F786C84F4A814017387B913D7A2B885F55AE02B0E372F84B5632AD75D60221FB31ECD025A83FFA90AE61BA54218A14D8BFF3257E430D91C4441248FD00DDF956F964366FDBA8877F5132A0A80CC99693DBF47DCC511378A2E2D63F40B8570B882577AB1FC61D4EC36AADC509B34F12D9EBE1298B5FEC4B26FA5D7DC1A0A0EAE4EEE0864783A4769835BD9069610FD831C5D99C22FB03792E27B4542E8050CF1925F8CEE5410D51F4AF643653171DC6B699FFEA2233FB266C9489164DFA417E055DCAE40C00B12B31C3A6E685AF30450F11533445839C5D34D29B97A005023C231A4F250C92F2F0A7F4809329E310B5BC19C11BEFE9FDEA868BF8931FC830B5BFFF03F468E430EECFA48AD5996715002E9BCFCBEC646E60258CCB5D315E34B714F3113CBA62C567F84F0A2DD8F3E657064506246733DDD9A6DAC5BC70FF3478C9BBEBBD56B7F0CFE06E900A0EBE6CE22122167B49DBE412C38D8F80C094504727AA080482F56D4974C8435104356A393237A8D1953B5EE8AC937ED4CE8155D6717A9283D16BEA2E337218FEC20F539B390E3C988E3A909DB86B8B9C93A046F2E5D12927DC57EB95B1B35910F337819C34DA577756B179A3EEC82B82B3127988905F8EE1ABF3D04C2B39921DC32FDB3F5B3A1CD616845010536C5D183965B9B9C43C34326161DD8680B90F428206C17630506273895054D3F884138DEAB79BE25F30EF444148CBC630CB523F3B171F36D8F95F4B6BB6964F233FC7B0B9A4A77DF7B59FEA42980A0F072FC1FF1574910D5AFA9A26CE7AFBEEF8C0B0860FBA276841BEBE297D2755627A1697D1956F2C7C84805C9753E0FFB36EE5C8B9438C9E8F5B1B56BC4F1E196C35420886C121C8B95E27E0ABD3E64DE7E3CC6DAC398680C5BCBD92A201B3AB59D1EDA0759C7EDB91EC9247BA85BFB0F4332DF4C3B810F712E6F59FD562AAC47393321F6F43BB5138E5CC4DCC716B5BEC7652AB4293B69B392A0580CF3A765E48D98CBA054B19BEDDD447F9DF79EC67FDAC94A2D4B23D3B845D2BD1204C8BDB174F8ED5EF7F147203E797966A0786FB3EE9BAE1E639900D8CE18AD1665F8FEE5730B0C4BA3AC549F02656BB661C601621BE9115A106D4D83402C42C9E12B59F4AAE8AB079B8D7E97839E12721662EFC03295F4BB9ECAA1BE5D977D99FAC4B0C1A55E8CFB05EFCB45BF5E16292F924F7659CEF77AC4670C2AB5CD28EB428DE21CF302BF12584C0362FC1B126BA4D85D30B8F36EF567F41AE03165FB7CB7C21FE4327B17C7A8AA3D31FEC3222A03F4BBDD78895D26E386B24C605F0CF6F8E29AABA46ACA12A2357452FB63AADCF4EEBE63C108A2A12E8CA055E86FFAEB332E9961DA55CBB35065F9CE71677156A748CBEB010FA6D6C282301F002078CEE64EA13FB287BCB9F2085118322F8F255A7D176CF9DE5EA7C61CD849337F09955BE4E1E8CB6782C6D230A80D58C2E2B2007BC73CFD1DDC61E579C62AFE15ECA1A7CDCB1C62684C1C6BE768B62D0BFB82F89DE23BD0004BECD49208B15CFEDA646BB44C1F3A2D9403CE166B828FF9BDF356704603772F7577600D67B5C1B0783559D1C94A377FB5A0D38A81C17E187186839D91490CEF45639AB04BBB730CA9B8282ED85A27645A55828BCC692A475688960A978F23B163482A2BD9F3ED39A109705AA6013837D4B61A4CC0780CA1AF302DCACE65CB03B69D49AFEADD905B00C379E21C2DADF0B26FFC16FB7141D944D4AF5E5F62EF72BAE0087184E00127DF7080C6DEAA3CD858E347076AA64328C7134B151EADE39BA0F50C121BFBBD160BE3AD8828356A6BDE9987A50F41A1C3006F1C9AC69AAD545710FCDA7503EE243C026B72FF67866EF3C579BB23D402FBB55C93D7EEC7A0838FBC049DEA09DAADABE6AF1EA9DD49521EBED2F8DA43C6B31CAD990159E0F2772CA0563248811146DBC72BED4FDC0CCC9240BF1298162234E6E8EC9B6BF52D9AE02C922F556B67508CEBF356198',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795492380000,8,10,1,5,2,2);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795492440000,1,2,2,0,0,0);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795492200000,25,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795492200000,41,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
INSERT INTO content_parts (number, content, crc32) VALUES (1025,X'00',0);
INSERT INTO content_parts (number, content, crc32) VALUES (1026,X'00',0);
INSERT INTO staged (tail) VALUES (1);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',1,'evt_tDt80nXvmClr3bF7',0,1,1795492435413,'domain.verified','"shop.example"');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',2,'evt_817SrzDYY0tz6t64',1,1,1795492437120,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',3,'evt_m7eCGLnErWpVANK4',1,2,1795492438550,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u7zh-0241983bc7e3","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',4,'evt_ha6mBr7-AJX9rMsh',1,3,1795492438550,'recipient.failed','{"email":"5xx-550@customers.example","result":"failed","reason":"recipient_refused","category":"other","attempts":1,"smtp":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',5,'evt_9eWHXUYIzjDUvMmn',2,1,1795492438753,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',6,'evt_hOxOM6CjmNFkhY6k',2,2,1795492438855,'recipient.failed','{"email":"nobody@customers.example","result":"failed","reason":"recipient_refused","category":"bad_address","attempts":1,"smtp":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',7,'evt_pIp4DOGxuNm5d2l1',3,1,1795492438956,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',8,'evt_qD0WrmMUeMpDmlKU',3,2,1795492438956,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',9,'evt_6bMq-362dAevIiO3',4,1,1795492439087,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',10,'evt_LaGoAI8WHJeKBk0F',4,2,1795492439087,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',11,'evt_5U97dm7MerIZDYTl',5,1,1795492439185,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',12,'evt_MnzqrkZ_HmsAxNSS',5,2,1795492439185,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',13,'evt_xPCyL4hSmuA5lcPH',6,1,1795492439254,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',14,'evt_xXAwCq-ikcmmBPAL',6,2,1795492439375,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',15,'evt_vmtlslUCcD2lziz9',7,1,1795492439442,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',16,'evt_a-3cXgcOT0XE0Cxu',7,2,1795492439665,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',17,'evt_tRuxLJIDNArtg4TR',8,1,1795492439701,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',18,'evt_PSaEKqY3o_xpT-yl',8,2,1795492439812,'recipient.deferred','{"email":"waiting@later.example","result":"pending","reason":"connection_failed","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',19,'evt_qp_7x8l31-BB2F_C',8,3,1795492439973,'recipient.deferred','{"email":"4xx-451@customers.example","result":"pending","reason":"temporarily_refused","category":"other","attempts":1,"smtp":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',20,'evt_mBk__6x7qPX5OMpt',9,1,1795492440054,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',21,'evt_9Q3xXvjzpmQcxotH',9,2,1795492440142,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u9fp-3bc4b4338496","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',22,'evt_lUcAVq2X1_XRRATj',9,3,1795492440142,'recipient.delivered','{"email":"copy@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu5u9fp-3bc4b4338496","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox_pruned (account_id, number) VALUES ('acc_second',7);
INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret, former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version, position_version) VALUES ('end_fixture','acc_default','https://hooks.example/','["recipient.failed"]',NULL,NULL,1790000000000,X'C38692BFE710FC4C4DC6EDCD73B113AA2030BF0BFDE16B7305DD7F835940D66D8C58F570BC73EE8F5504796CE94708189E7BECCC3DA540E03A36DC370D1D92310A28',NULL,NULL,1790000001000,NULL,NULL,NULL,NULL,22,2,0);
INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms) VALUES ('end_fixture',1,2,4,1,1790000060000);
INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result, status, next_attempt_at_ms, error, response) VALUES ('end_fixture',1,2,'evt_817SrzDYY0tz6t64','message.accepted','msg_-P7Ag4m-oCU921k5oqfsTxtX',1790000000000,12,1,'deferred',500,1790000060000,NULL,'an error');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (1,'acc_default',0,1,'req_cAD4mJCq4LYJMJFh',1795492437195,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,109,'msg_-P7Ag4m-oCU921k5oqfsTxtX');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (2,'acc_default',0,2,'req_OTHOcN0YE9rgyU-Y',1795492437526,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,47,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (3,'acc_default',0,3,'req_9o-8k6PMBfY3jck-',1795492437674,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,7,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (4,'acc_default',0,4,'req_B3S_KCpAzoTQJtHl',1795492437774,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,22,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (5,'acc_default',0,5,'req_2lJZZYt61mP7Bb4g',1795492437929,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,15,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (6,'acc_default',0,6,'req_Njq0TuJoKSwBFG1U',1795492438047,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,24,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (7,'acc_default',0,7,'req_O2GNKf0QGRmPOJVI',1795492438238,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,39,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (8,'acc_default',0,8,'req_mz3bsXA_0yM-QU9a',1795492438334,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (9,'acc_default',0,9,'req_6AzyhcJdoX-F4O6l',1795492438444,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,15,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (10,'acc_default',0,10,'req_tqEcTfyxiJOs6NOj',1795492438591,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (11,'acc_default',0,11,'req_Nq--qG7qjhzchpKh',1795492438691,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag4m-oCU921k5oqfsTxtX',200,NULL,30,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (12,'acc_default',0,12,'req_JkqvzHVsVxzsFa4P',1795492438769,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,34,'msg_-P7Ag5AWbZ12o3C3VsPHFlwn');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (13,'acc_default',0,13,'req_DLZ0Doatyb0OrsY3',1795492438837,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5AWbZ12o3C3VsPHFlwn',200,NULL,15,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (14,'acc_default',0,14,'req_-f6pq092aSffKjDp',1795492438907,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5AWbZ12o3C3VsPHFlwn',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (15,'acc_default',0,15,'req_Qk5RK7iGlGwNIkb8',1795492439057,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,102,'msg_-P7Ag5DgsY8lQBs89iRYt0zB');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (16,'acc_default',0,16,'req_1T4S0zNp4KGscM4c',1795492439077,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5DgsY8lQBs89iRYt0zB',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (17,'acc_default',0,17,'req_R4TcxDG_1pNSwY-b',1795492439124,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,38,'msg_-P7Ag5Fj_a7lg22l5vNk7GuY');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (18,'acc_default',0,18,'req_uzT26-sVgAlWMMyP',1795492439161,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5Fj_a7lg22l5vNk7GuY',200,NULL,16,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (19,'acc_default',0,19,'req_Jqg3ImFDF_3BJVrc',1795492439207,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,23,'msg_-P7Ag5HGuqlZXilNVNdhLiUo');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (20,'acc_default',0,20,'req_Dn_6pvcSpCgZYr1H',1795492439241,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5HGuqlZXilNVNdhLiUo',200,NULL,17,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (21,'acc_default',0,21,'req_YsWDGBmhNGELVX7p',1795492439275,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,22,'msg_-P7Ag5ILxwZpaooZMdlytjNK');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (22,'acc_default',0,22,'req_Z3JewXyfDgU0Qr9E',1795492439305,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5ILxwZpaooZMdlytjNK',200,NULL,26,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (23,'acc_default',0,23,'req_W_hPv9DlmYFRrbrm',1795492439376,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5ILxwZpaooZMdlytjNK',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (24,'acc_default',0,24,'req_I0nY0y_1bd0S-Lv6',1795492439430,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5ILxwZpaooZMdlytjNK',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (25,'acc_default',0,25,'req_LSlOusLQ4u4Kv_yO',1795492439469,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,27,'msg_-P7Ag5LHnT4hLJlCgDKhfEyd');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (26,'acc_default',0,26,'req_R00Y7eWtvf7jTW-8',1795492439498,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5LHnT4hLJlCgDKhfEyd',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (27,'acc_default',0,27,'req_RLAHoRGjGw5C9y2R',1795492439553,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5LHnT4hLJlCgDKhfEyd',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (28,'acc_default',0,28,'req_XlspknbKrtkKxW5s',1795492439614,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5LHnT4hLJlCgDKhfEyd',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (29,'acc_default',0,29,'req_sI4m-r8_jNNbFSxp',1795492439690,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5LHnT4hLJlCgDKhfEyd',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (30,'acc_default',0,30,'req_Qnnk31gBBknBn3Os',1795492439725,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,33,'msg_-P7Ag5PKfs6lv_qyKxcaSHcC');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (31,'acc_default',0,31,'req_xr9QbrVkmPEuplcT',1795492439772,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5PKfs6lv_qyKxcaSHcC',200,NULL,12,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (32,'acc_default',0,32,'req_y-43PHx6DwWV2kO8',1795492439838,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5PKfs6lv_qyKxcaSHcC',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (33,'acc_default',0,33,'req_own4h0m6-KfvCrh5',1795492439950,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5PKfs6lv_qyKxcaSHcC',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (34,'acc_default',0,34,'req_PBG7KQ4urdKv_E4d',1795492440024,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5PKfs6lv_qyKxcaSHcC',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (35,'acc_default',0,35,'req_RhltqnlCU6Vh2h9k',1795492440093,'key_eho75fHPW67483vi','POST','/api/sending/send',202,NULL,41,'msg_-P7Ag5UqY05Brr-9GWf81oGs');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (36,'acc_default',0,36,'req_k65Xi-ym9FgkdDPh',1795492440116,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5UqY05Brr-9GWf81oGs',200,NULL,5,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (37,'acc_default',0,37,'req_hd6UUZcBXXXCIjoX',1795492440178,'key_eho75fHPW67483vi','GET','/api/sending/messages/msg_-P7Ag5UqY05Brr-9GWf81oGs',200,NULL,1,NULL);
INSERT INTO incoming (number, id, recipient, envelope_sender, ip, received_at_ms, due_at_ms, content) VALUES (1,'inc_fixture','b-none@bounces.shop.example','','192.0.2.1',1790000000000,9790000000000,X'00');
INSERT INTO feedback (seq, position, kind, at_ms, detail) VALUES (1,0,'complaint',1790000000000,'{"kind":"abuse"}');
INSERT INTO suppressed_addresses (account_id, address, cause, at_ms, message_id) VALUES ('acc_default','gone@customers.example','unsubscribed',1790000000000,'msg_fixture');
INSERT INTO return_paths (account_id, domain, checks, active, since_ms) VALUES ('acc_default','shop.example','{"return_path_mx":{"state":"verified","detail":"It is published.","expected":"a record","found":["a record"],"checkedAtMs":1790000000000,"standing":true,"failedSinceMs":null},"return_path_spf":{"state":"verified","detail":"It is published.","expected":"a record","found":["a record"],"checkedAtMs":1790000000000,"standing":true,"failedSinceMs":null}}',1,1790000000000);
INSERT INTO secrets (name, sealed) VALUES ('feedback',X'612C00CDA75C831A6D5B67D23B02055CBCB63A1D863BEE411FA4FE2E4333ACB0A5957E19CAD674DB37ECE59CFC4E7728F9F2321D2AF449BE3FBFC7950FFDD4DCB1A4D2E4A0941177');
INSERT INTO dmarc_reports (id, account_id, domain, week_ms, org, report_id, begin_ms, end_ms, received_at_ms, policy, messages, failed, failed_ours) VALUES ('r1','acc_default','shop.example',1789948800000,'mail.example','id',1790000000000,1790086399000,1790090000000,'none',2,1,0);
INSERT INTO dmarc_report_sources (report, position, ip, ours, messages, disposition, dkim, spf, header_from) VALUES ('r1',0,'203.0.113.7','no',1,'none',0,0,'shop.example');
INSERT INTO dmarc_report_sources (report, position, ip, ours, messages, disposition, dkim, spf, header_from) VALUES ('r1',1,'192.0.2.1','address',1,'none',1,1,'shop.example');
INSERT INTO tls_reports (id, account_id, domain, week_ms, org, report_id, begin_ms, end_ms, received_at_ms, succeeded, failed) VALUES ('t1','acc_default','shop.example',1789948800000,'mail.example','id',1790000000000,1790086399000,1790090000000,10,1);
INSERT INTO tls_report_failures (report, position, policy_type, result_type, mx, sessions) VALUES ('t1',0,'sts','validation-failure','',1);
INSERT INTO tls_sessions (day, domain, policy_type, result_type, mx, sending_ip, receiving_ip, sessions) VALUES (20717,'customers.example','sts','','','','',1);
PRAGMA user_version = 14;
