-- A spool of schema 13, made by the code that had it.
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
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795449808655,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_aCyApNcMXsufuTdV','ann@shop.example','acc_default','scrypt$65536$8$1$Ibd/fpwYLmwTVb9Cz5H9IA==$Vw7S60c1YnjiWIaFvyiXzdhWEUYEdz+xmFR5UY6i6hk=',1,1795449809018,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent, test) VALUES ('key_YNkRb3jzXCeGoTHG','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795449809693,1795449810758,NULL,9,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent, test) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_yHGz3FggnMbAPJj8','acc_default','shop.example','6Pj1cDpObW9O4alTk6JHszYTN4TzY_KN',1795449809062,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=6Pj1cDpObW9O4alTk6JHszYTN4TzY_KN","found":["postrider-verification=6Pj1cDpObW9O4alTk6JHszYTN4TzY_KN"],"checkedAtMs":1795449809062,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Messages to shop.example are sent to mail.shop.example.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"warnings":[],"checkedAtMs":1795449809062,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example authorizes 127.0.0.1.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795449809062,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr1d5abb55._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3q+nJyhpp3TgK7AeR9ZkzoD33AX1dIuzMdXPbi0mMR/7VvDu3t9aB+bYt5AlFq6RtI0ClunQ1xoEK8UwWn6UiEsHQ6XXBvgHCLuCQXLJnNWKgQQ8qVYjy7NjoNsX1VSaaP1O5za8n1GcFPg5HQnYDDkKqwJlahvmhbqTaieVYrKtrWJFEYwbG6o0cDayNseYeAEkLZhPnlz7Fj56M9rXNOfsu/8xeX8EwxRJ5Ws49hC2jfCuJcu0dotWTq9nGEIcwA1aoaDH5RoIRBjb/Xt5PRipZT/A7Mw09bEA/tHcJl046VuOcADSz2AM5XEZWQYna1MIb6X3PH6KNmaGjoNd7wIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3q+nJyhpp3TgK7AeR9ZkzoD33AX1dIuzMdXPbi0mMR/7VvDu3t9aB+bYt5AlFq6RtI0ClunQ1xoEK8UwWn6UiEsHQ6XXBvgHCLuCQXLJnNWKgQQ8qVYjy7NjoNsX1VSaaP1O5za8n1GcFPg5HQnYDDkKqwJlahvmhbqTaieVYrKtrWJFEYwbG6o0cDayNseYeAEkLZhPnlz7Fj56M9rXNOfsu/8xeX8EwxRJ5Ws49hC2jfCuJcu0dotWTq9nGEIcwA1aoaDH5RoIRBjb/Xt5PRipZT/A7Mw09bEA/tHcJl046VuOcADSz2AM5XEZWQYna1MIb6X3PH6KNmaGjoNd7wIDAQAB"],"warnings":[],"checkedAtMs":1795449809062,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"warnings":[],"checkedAtMs":1795449809062,"standing":true,"failedSinceMs":null}}',1795536209062,'pr1d5abb55','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3q+nJyhpp3TgK7AeR9ZkzoD33AX1dIuzMdXPbi0mMR/7VvDu3t9aB+bYt5AlFq6RtI0ClunQ1xoEK8UwWn6UiEsHQ6XXBvgHCLuCQXLJnNWKgQQ8qVYjy7NjoNsX1VSaaP1O5za8n1GcFPg5HQnYDDkKqwJlahvmhbqTaieVYrKtrWJFEYwbG6o0cDayNseYeAEkLZhPnlz7Fj56M9rXNOfsu/8xeX8EwxRJ5Ws49hC2jfCuJcu0dotWTq9nGEIcwA1aoaDH5RoIRBjb/Xt5PRipZT/A7Mw09bEA/tHcJl046VuOcADSz2AM5XEZWQYna1MIb6X3PH6KNmaGjoNd7wIDAQAB',X'A07CC059A68A43227418B4342EE54353A6CF1ED2C97917FB39DCC2D73634D140DEFD3F8793E117C22B02C6F2572753F044BA048427B38A7E2F40CF17FCAE404E4277D0D23C8231A9929A34A28B07A3B0C3CF6D30EEF089BB1F7F1CDA03A44BF3222E23F0BABA0AFA016EEFB346D2E6F61484A75E274579478D591A036949DB5D603E1069C0A5B1A6F455ADB7EA3FD9D5A84A027FADE8C016B822D1355EAB923CA4984DD246599F670377692BAEE1E7572CE5D9BD6161A08257DDCB29AF2EC957A96BC7AAA22EEEC5DEBC95C2D72B0DF93FD50F942C834C59A745961A0EFEA99E2FCCEB976FF66B6F679B369906983FDF230B1402D763D63370CCCFA74F51A658B183F1B6452F7B717638EF40CB7E76E91C76BF5579FB2008544326457BD564FB084BF219338276FAF641691270FD9AFBEB32841D9DA0112B407E124A578F94DABD30759BFFE32A05420808969CA706C7BFA9A7A496B5E27745F88CCAC0C5DDD167D80B855487F7DFE0FCC80CD360FA5836BD95AB1DFF8BCDCFDE464056E21249E109D43A452D4E458B795BA680FADDAC40955E01270B41D3F322D0CB194656D346775AABE75FD6D02B50307F43035F987BB0537E107C66503EC75DF06FEB9C94F5F482282071BF8EAF3C2CAD794D54EB3A11EF6C2BCD05B14020C18B7AE139F5746541B28F4F02D0BF10E70F85011331439DA06DA34AFD01B82A464A66D97E380B2577E35E2295A706DF5B3DC4DC7F681D37E33DA0401AEC39B28C9B03C66418F47907C67D57C9DF942A13C62EFC7A0A7CA7FC2406F96A22CBB845AD0606263292E8664DFA293CF98D064220B179F2BE9A96674530FB3C06A3051F8F65DBD351CC3C3E732FD52AEA363C0961450E4233F541DD9202ADFCC36A8828F56F0B8542B26C6BF704200364EDCF6B05343D27B9DE542456A153087D30EA9A9FE31DE59886E271DFFE680BC62450DC1EBABCF8794DDA4DC92C3DD2CAAE83936D786C0FB82EA434165054B5A575D70079E089142A7AE010BDD4F513064635959A7CBB03EF049BFCD1EFF39FA3B237F32702FE00AA6E55B461B6C464D48421AC987B70F9CD96B325C382A66B6E5CA9DFA70B906AD4CE28966484D7977A0E1F6995C68E513C8AAF4F5AFF7D4A1FECF64AB7BEA286A6982A98FE026444E5AAA91AAB84ACED3A2ABB6A6D057FB400C84DF22DC0CE01F82D0577E597B2F841579BF8AB5958C245AE53DCF741EA3A342A1844033A7DC90C126D308739E8ADA503E5F07CD9EF005BC6B38ACF2523B7EC7B5851E423096B90CC3D87E4EF81FECB1EDCE80EC972172B62A33C861BCE935A5A52853893830E8A443F1111BC5535650D949945D59AB11283FB92819C364F895D0DF40AAF31822DE4213E9DC6528F9115A34AD405504C0C1E44EBD1A76287EB546E77CBFF43BB629606BCABE02B5B8D6CD7AAAAFB461A5C98AC8E89A583ACF76996D3E5145A4CBF640AF701C84FD960109965D5D205D90BE66B3CA952FA398840BB88C483D2FDCBB0104FA5C2E790D84BBCAA0FC454170ED9B343F15BA0FA5BB8BCC89BF3E6EAB3925BEA4216DE9519AE940B38254D3AD77F7EDD14E6417A25206DB34919CCB2DC8D55D4864431924A86F546F3611AB675DB7F3C47714F15D732D25C6173C60BCF9EE158F6A635B8C2D148396B24D29DD2972E1E35D6AFE374C7BE4051298CEE2623E39F48B7929CD7955651F9B304E73555B5ADABA904B0BB6332D142FD7D757D13EB9B4FE524988B9D0221998F15B7C48A8E0D7FFB55C6B90A7B44FD358C56DA54EA8FDD4E78D2F9054F61F7EA3728977EF7F0C804B3E6A5F131E150FA674EEFF207B5229EA33E3AD600EA17F8F9E49488716F17AFC740E2E1C88C3B0A1A9405CDDE4A8E94FC42D8413193F7F25FB2EF0389113DA3B2C253A034DC2B99DB3DD52921B45E4A7C14D2719E1D6DC60462B7B0A9B7B62E57F9325762C05DB0B5C3FA56EB29689D9F1059150DD0B3D01E2DB3D9A89A9634E95F4844CC3C6C7E37FA136A39088905F1B22A0229846D01DFCEFE7309107523BF68F1D05AA571AC1837C1A64E460E1B22C48936D906FFAD9BD24705B98896A7466546788D22A1B96018EE0D8F446CEB7C05D050F51E0FC8F2023D42A7A9CA942995980CB7782290E4F8DB3FE1A0066750F52AA77D4EB75C05A0C83EBEFF71460FC35B131C9D2C14628C62D642D4532A8396E82BD29C54020399095F24794247F4A1C6FA023FC0F8F3E6F1316B0877F4975E81CC666D7998A35A2C78FC9038F6BD327215A4CE5ACBDB7E6FC0BA0B3B231C14408F8EEC311AB08C825011F052BACB6FB3E53C6436720FEA534906A74C57421642092E179846B5D71E14378A2E5805E0635FED15B436A372E61487CF82107AB51FDFED86E46009ABCA2E15B386B8DC807DFF29DAC6288C84D80AF04765B67CEEC59F5CDF877BA52391C4229617');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (1,'msg_-P788ThAXZuuPiYryIdc-yWL','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449809739,1795449810086,1795622609739,'hello@shop.example','Settled','<5-UIn8vN0X602UMJJ4a5GMYq@shop.example>',310,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (2,'msg_-P788Tn4eUMTpqAW9K6-Wd_i','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449810117,1795449810128,1795622610117,'hello@shop.example','Hello','<7Qzx4OIjSj1zwc1RGwt3umxX@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (3,'msg_-P788ToK3rp7JYXPXN7EwCG2','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449810197,1795449810197,1795622610197,'hello@shop.example','Hello','<eSzZRZk87vhOHPgImxTZ-1um@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (4,'msg_-P788ToV8RTk7CrKOc73GNUp','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449810208,1795449810208,1795622610208,'hello@shop.example','Hello','<9cSO-IMhG65KUbbGlGkCfAdF@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (5,'msg_-P788TogcL0mZORVHGDN8LdN','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449810220,1795449810220,1795622610220,'hello@shop.example','Hello','<pZOn4vQe9y3A8SgA1nFVfLyp@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (6,'msg_-P788TosxuxgUzu_PP6hKaC6','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449810232,1795449810267,1795622610232,'hello@shop.example','In doubt','<7Tbx-bV2XL6dtX-Az3-M8rNw@shop.example>',287,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (7,'msg_-P788Tq5PGfttFLSs2BD2YhA','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449810310,1795449810445,1795622610310,'hello@shop.example','Marked','<zRBytSUVS02ECKn-vm-7kk9H@shop.example>',285,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (8,'msg_-P788Tt0R-5W7PLAiI1MiQNW','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449810497,1795449810641,1795622610497,'hello@shop.example','Waiting','<qQU4EbRILSzQC1syxUViwfZS@shop.example>',304,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (9,'msg_-P788Tw1R7_4RDv03COxC3J7','acc_default','key_YNkRb3jzXCeGoTHG','dom_yHGz3FggnMbAPJj8',1795449810690,1795449810725,1795622610690,'hello@shop.example','Extras','<HfxZQ84pGV6a8GXxcHA_1ClU@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}',0,0);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C352D55496E38764E3058363032554D4A4A346135474D59714073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3239202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2855542928,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C37517A78344F496A536A317A7763315247777433756D78584073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3330202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1744324855,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C65537A5A525A6B383776684F485067496D78545A2D31756D4073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3330202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',4050073069,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C3963534F2D494D684736354B556262476C476B43664164464073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3330202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1362968019,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C705A4F6E347651653979334138536741316E4656664C79704073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3330202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',622551847,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C375462782D625632584C366474582D417A332D4D38724E774073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3330202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3164191386,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C7A5242797453555653303245434B6E2D766D2D376B6B39484073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3330202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1639126527,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C71515534456252494C537A51433173797855566977665A534073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3330202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1234880373,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C4866785A5138347047563661384758786348415F31436C554073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362031363A30333A3330202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',705834884,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795449810086,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggjul-41fc105ddb32","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795449810086,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795449810128,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795449810197,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795449810208,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795449810220,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795449810267,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795449810445,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795449810641,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795449810542,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795449810725,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggkd2-b3840f2707b9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795449810725,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggkd2-b3840f2707b9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795449810086,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggjul-41fc105ddb32"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795449810086,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795449810128,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795449810197,"type":"suppressed","since_ms":1795449810128,"until_ms":1798041810128,"refusals":[{"at_ms":1795449810128,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795449810208,"type":"suppressed","since_ms":1795449810128,"until_ms":1798041810128,"refusals":[{"at_ms":1795449810128,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795449810220,"type":"suppressed","since_ms":1795449810128,"until_ms":1798041810128,"refusals":[{"at_ms":1795449810128,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795449810267,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795449810445,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795449810641,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795453034086}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795449810542,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:46665"}],"next_attempt_at_ms":1795453597531}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795449810725,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggkd2-b3840f2707b9"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795449810725,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggkd2-b3840f2707b9"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P788ThAXZuuPiYryIdc-yWL',1795449809739);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20780,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"*.customers.example","window":2.1666666666666665,"threshold":1.5},{"name":"*.later.example","window":2.5,"threshold":2.5}],"addresses":[{"address":"127.0.0.2","port":46665,"failures":1,"sinceMs":1795449810542,"probeAtMs":1795449811542,"error":"connect ECONNREFUSED 127.0.0.2:46665"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795449810128,'[{"at_ms":1795449810128,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_aCyApNcMXsufuTdV',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_aCyApNcMXsufuTdV','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795449809062);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Messages to shop.example are sent to mail.shop.example.',1795449809062);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example authorizes 127.0.0.1.',1795449809062);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at pr1d5abb55._domainkey.shop.example.',1795449809062);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795449809062);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_yHGz3FggnMbAPJj8','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3q+nJyhpp3TgK7AeR9ZkzoD33AX1dIuzMdXPbi0mMR/7VvDu3t9aB+bYt5AlFq6RtI0ClunQ1xoEK8UwWn6UiEsHQ6XXBvgHCLuCQXLJnNWKgQQ8qVYjy7NjoNsX1VSaaP1O5za8n1GcFPg5HQnYDDkKqwJlahvmhbqTaieVYrKtrWJFEYwbG6o0cDayNseYeAEkLZhPnlz7Fj56M9rXNOfsu/8xeX8EwxRJ5Ws49hC2jfCuJcu0dotWTq9nGEIcwA1aoaDH5RoIRBjb/Xt5PRipZT/A7Mw09bEA/tHcJl046VuOcADSz2AM5XEZWQYna1MIb6X3PH6KNmaGjoNd7wIDAQAB',X'A07CC059A68A43227418B4342EE54353A6CF1ED2C97917FB39DCC2D73634D140DEFD3F8793E117C22B02C6F2572753F044BA048427B38A7E2F40CF17FCAE404E4277D0D23C8231A9929A34A28B07A3B0C3CF6D30EEF089BB1F7F1CDA03A44BF3222E23F0BABA0AFA016EEFB346D2E6F61484A75E274579478D591A036949DB5D603E1069C0A5B1A6F455ADB7EA3FD9D5A84A027FADE8C016B822D1355EAB923CA4984DD246599F670377692BAEE1E7572CE5D9BD6161A08257DDCB29AF2EC957A96BC7AAA22EEEC5DEBC95C2D72B0DF93FD50F942C834C59A745961A0EFEA99E2FCCEB976FF66B6F679B369906983FDF230B1402D763D63370CCCFA74F51A658B183F1B6452F7B717638EF40CB7E76E91C76BF5579FB2008544326457BD564FB084BF219338276FAF641691270FD9AFBEB32841D9DA0112B407E124A578F94DABD30759BFFE32A05420808969CA706C7BFA9A7A496B5E27745F88CCAC0C5DDD167D80B855487F7DFE0FCC80CD360FA5836BD95AB1DFF8BCDCFDE464056E21249E109D43A452D4E458B795BA680FADDAC40955E01270B41D3F322D0CB194656D346775AABE75FD6D02B50307F43035F987BB0537E107C66503EC75DF06FEB9C94F5F482282071BF8EAF3C2CAD794D54EB3A11EF6C2BCD05B14020C18B7AE139F5746541B28F4F02D0BF10E70F85011331439DA06DA34AFD01B82A464A66D97E380B2577E35E2295A706DF5B3DC4DC7F681D37E33DA0401AEC39B28C9B03C66418F47907C67D57C9DF942A13C62EFC7A0A7CA7FC2406F96A22CBB845AD0606263292E8664DFA293CF98D064220B179F2BE9A96674530FB3C06A3051F8F65DBD351CC3C3E732FD52AEA363C0961450E4233F541DD9202ADFCC36A8828F56F0B8542B26C6BF704200364EDCF6B05343D27B9DE542456A153087D30EA9A9FE31DE59886E271DFFE680BC62450DC1EBABCF8794DDA4DC92C3DD2CAAE83936D786C0FB82EA434165054B5A575D70079E089142A7AE010BDD4F513064635959A7CBB03EF049BFCD1EFF39FA3B237F32702FE00AA6E55B461B6C464D48421AC987B70F9CD96B325C382A66B6E5CA9DFA70B906AD4CE28966484D7977A0E1F6995C68E513C8AAF4F5AFF7D4A1FECF64AB7BEA286A6982A98FE026444E5AAA91AAB84ACED3A2ABB6A6D057FB400C84DF22DC0CE01F82D0577E597B2F841579BF8AB5958C245AE53DCF741EA3A342A1844033A7DC90C126D308739E8ADA503E5F07CD9EF005BC6B38ACF2523B7EC7B5851E423096B90CC3D87E4EF81FECB1EDCE80EC972172B62A33C861BCE935A5A52853893830E8A443F1111BC5535650D949945D59AB11283FB92819C364F895D0DF40AAF31822DE4213E9DC6528F9115A34AD405504C0C1E44EBD1A76287EB546E77CBFF43BB629606BCABE02B5B8D6CD7AAAAFB461A5C98AC8E89A583ACF76996D3E5145A4CBF640AF701C84FD960109965D5D205D90BE66B3CA952FA398840BB88C483D2FDCBB0104FA5C2E790D84BBCAA0FC454170ED9B343F15BA0FA5BB8BCC89BF3E6EAB3925BEA4216DE9519AE940B38254D3AD77F7EDD14E6417A25206DB34919CCB2DC8D55D4864431924A86F546F3611AB675DB7F3C47714F15D732D25C6173C60BCF9EE158F6A635B8C2D148396B24D29DD2972E1E35D6AFE374C7BE4051298CEE2623E39F48B7929CD7955651F9B304E73555B5ADABA904B0BB6332D142FD7D757D13EB9B4FE524988B9D0221998F15B7C48A8E0D7FFB55C6B90A7B44FD358C56DA54EA8FDD4E78D2F9054F61F7EA3728977EF7F0C804B3E6A5F131E150FA674EEFF207B5229EA33E3AD600EA17F8F9E49488716F17AFC740E2E1C88C3B0A1A9405CDDE4A8E94FC42D8413193F7F25FB2EF0389113DA3B2C253A034DC2B99DB3DD52921B45E4A7C14D2719E1D6DC60462B7B0A9B7B62E57F9325762C05DB0B5C3FA56EB29689D9F1059150DD0B3D01E2DB3D9A89A9634E95F4844CC3C6C7E37FA136A39088905F1B22A0229846D01DFCEFE7309107523BF68F1D05AA571AC1837C1A64E460E1B22C48936D906FFAD9BD24705B98896A7466546788D22A1B96018EE0D8F446CEB7C05D050F51E0FC8F2023D42A7A9CA942995980CB7782290E4F8DB3FE1A0066750F52AA77D4EB75C05A0C83EBEFF71460FC35B131C9D2C14628C62D642D4532A8396E82BD29C54020399095F24794247F4A1C6FA023FC0F8F3E6F1316B0877F4975E81CC666D7998A35A2C78FC9038F6BD327215A4CE5ACBDB7E6FC0BA0B3B231C14408F8EEC311AB08C825011F052BACB6FB3E53C6436720FEA534906A74C57421642092E179846B5D71E14378A2E5805E0635FED15B436A372E61487CF82107AB51FDFED86E46009ABCA2E15B386B8DC807DFF29DAC6288C84D80AF04765B67CEEC59F5CDF877BA52391C4229617',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795449780000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795449600000,20,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795449600000,33,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
INSERT INTO content_parts (number, content, crc32) VALUES (1025,X'00',0);
INSERT INTO content_parts (number, content, crc32) VALUES (1026,X'00',0);
INSERT INTO staged (tail) VALUES (1);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',1,'evt_BUUouy4cKrJLlizv',0,1,1795449809062,'domain.verified','"shop.example"');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',2,'evt_eHe0Ht1h4J_f8kSl',1,1,1795449809739,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',3,'evt_bdGzHU9DKW1dT1Nq',1,2,1795449810086,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggjul-41fc105ddb32","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',4,'evt_sxOzlGv65vYpa6TU',1,3,1795449810086,'recipient.failed','{"email":"5xx-550@customers.example","result":"failed","reason":"recipient_refused","category":"other","attempts":1,"smtp":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',5,'evt_x5iQbTIydA7OJVba',2,1,1795449810117,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',6,'evt_7U74Xfdy1kfPZ1w2',2,2,1795449810128,'recipient.failed','{"email":"nobody@customers.example","result":"failed","reason":"recipient_refused","category":"bad_address","attempts":1,"smtp":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',7,'evt_Eb4w0bdtTHP895eI',3,1,1795449810197,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',8,'evt_rUthTilqwxyLcMT9',3,2,1795449810197,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',9,'evt_emmYCrYn2RtmyJXA',4,1,1795449810208,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',10,'evt_czn9qhOTcvAMxggr',4,2,1795449810208,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',11,'evt_mLhdF1eedKQEpNjy',5,1,1795449810220,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',12,'evt_LQ8P8ftZQsrtMzS0',5,2,1795449810220,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',13,'evt_svJrf90sQji8hxbG',6,1,1795449810232,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',14,'evt_kYzj0OfyrkFMrKLW',6,2,1795449810267,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',15,'evt_CniQyoeFFfyNTAjJ',7,1,1795449810310,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',16,'evt_JzjeV9wtyANS1Xn_',7,2,1795449810445,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',17,'evt_fhQRcl0kzCR4cGV4',8,1,1795449810497,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',18,'evt_dv8BJo3FkmHzNtNr',8,2,1795449810542,'recipient.deferred','{"email":"waiting@later.example","result":"pending","reason":"connection_failed","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',19,'evt_Rl9CVecLJ6Zou_Fr',8,3,1795449810641,'recipient.deferred','{"email":"4xx-451@customers.example","result":"pending","reason":"temporarily_refused","category":"other","attempts":1,"smtp":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',20,'evt_piRtO6lqsfEyOTSA',9,1,1795449810690,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',21,'evt_YfZr37Vjdc2Q46aL',9,2,1795449810725,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggkd2-b3840f2707b9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',22,'evt_UsYQboBwj4C49TEk',9,3,1795449810725,'recipient.delivered','{"email":"copy@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwtggkd2-b3840f2707b9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox_pruned (account_id, number) VALUES ('acc_second',7);
INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret, former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version, position_version) VALUES ('end_fixture','acc_default','https://hooks.example/','["recipient.failed"]',NULL,NULL,1790000000000,X'42173E4D1A35D7CE15A77EBC91BAAADFE2BA2BA0FDED79755B1917E1FCF9CE633D0C42F31300C59DE9E78F8CE61231E6A3F4EEA910CA8517A263DCA1C63F111C8DF4',NULL,NULL,1790000001000,NULL,NULL,NULL,NULL,22,2,0);
INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms) VALUES ('end_fixture',1,2,4,1,1790000060000);
INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result, status, next_attempt_at_ms, error, response) VALUES ('end_fixture',1,2,'evt_eHe0Ht1h4J_f8kSl','message.accepted','msg_-P788ThAXZuuPiYryIdc-yWL',1790000000000,12,1,'deferred',500,1790000060000,NULL,'an error');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (1,'acc_default',0,1,'req_JX7NPn_cspsN50Cm',1795449809756,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,21,'msg_-P788ThAXZuuPiYryIdc-yWL');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (2,'acc_default',0,2,'req_WWJgTq99YKyf53H4',1795449809792,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788ThAXZuuPiYryIdc-yWL',200,NULL,4,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (3,'acc_default',0,3,'req_LnbOSrJAByxr_YWw',1795449809859,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788ThAXZuuPiYryIdc-yWL',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (4,'acc_default',0,4,'req_6B8zonOR2CP42LSf',1795449809952,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788ThAXZuuPiYryIdc-yWL',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (5,'acc_default',0,5,'req_ZfVjrAjJzxa7Fmg5',1795449810050,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788ThAXZuuPiYryIdc-yWL',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (6,'acc_default',0,6,'req_FfIgzyHaEfb26_Yu',1795449810107,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788ThAXZuuPiYryIdc-yWL',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (7,'acc_default',0,7,'req_Rb8gp1r4OkC-Hpd0',1795449810120,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,4,'msg_-P788Tn4eUMTpqAW9K6-Wd_i');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (8,'acc_default',0,8,'req_0sMGvXzPqFXcQrUj',1795449810122,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tn4eUMTpqAW9K6-Wd_i',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (9,'acc_default',0,9,'req_8jvk8JQ7VuSAESnL',1795449810188,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tn4eUMTpqAW9K6-Wd_i',200,NULL,11,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (10,'acc_default',0,10,'req_01gv59-lTnNQuxcB',1795449810202,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,6,'msg_-P788ToK3rp7JYXPXN7EwCG2');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (11,'acc_default',0,11,'req_eytSKMGvnmlSinod',1795449810204,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788ToK3rp7JYXPXN7EwCG2',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (12,'acc_default',0,12,'req_YJ-rXyDCtiwJiWyC',1795449810213,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,6,'msg_-P788ToV8RTk7CrKOc73GNUp');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (13,'acc_default',0,13,'req_5UYyau91l1Is21MU',1795449810217,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788ToV8RTk7CrKOc73GNUp',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (14,'acc_default',0,14,'req_NpZqy5DJ91d7e2md',1795449810225,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,6,'msg_-P788TogcL0mZORVHGDN8LdN');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (15,'acc_default',0,15,'req_CS8BRECjF6Grom9R',1795449810228,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788TogcL0mZORVHGDN8LdN',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (16,'acc_default',0,16,'req_HfAzoInnqg6ne-rt',1795449810242,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,11,'msg_-P788TosxuxgUzu_PP6hKaC6');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (17,'acc_default',0,17,'req_5O-dkJ6LMdkLsTNN',1795449810251,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788TosxuxgUzu_PP6hKaC6',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (18,'acc_default',0,18,'req_gzvfdoW4fgUzS2Br',1795449810306,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788TosxuxgUzu_PP6hKaC6',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (19,'acc_default',0,19,'req_9n_gTOKt972Skhy6',1795449810314,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,5,'msg_-P788Tq5PGfttFLSs2BD2YhA');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (20,'acc_default',0,20,'req_UROBzU2ajvWiSOt8',1795449810319,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tq5PGfttFLSs2BD2YhA',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (21,'acc_default',0,21,'req_tbhZkn_QEjxXOc-l',1795449810371,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tq5PGfttFLSs2BD2YhA',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (22,'acc_default',0,22,'req_YHViOYB2WAfxIwHz',1795449810429,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tq5PGfttFLSs2BD2YhA',200,NULL,3,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (23,'acc_default',0,23,'req_TqmG4wDvqZrzYaXk',1795449810484,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tq5PGfttFLSs2BD2YhA',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (24,'acc_default',0,24,'req_XbVT2H3gyDs_xtlk',1795449810511,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,15,'msg_-P788Tt0R-5W7PLAiI1MiQNW');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (25,'acc_default',0,25,'req_vaMnBpWHKIA_QjvO',1795449810520,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tt0R-5W7PLAiI1MiQNW',200,NULL,7,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (26,'acc_default',0,26,'req_CSPEPd5mUMujuxGg',1795449810579,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tt0R-5W7PLAiI1MiQNW',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (27,'acc_default',0,27,'req_nQKvtnTY5nsI-Y4e',1795449810632,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tt0R-5W7PLAiI1MiQNW',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (28,'acc_default',0,28,'req_IZxYII1Gq5mnD59U',1795449810686,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tt0R-5W7PLAiI1MiQNW',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (29,'acc_default',0,29,'req_YEsWFq2AS5wP86no',1795449810701,'key_YNkRb3jzXCeGoTHG','POST','/api/sending/send',202,NULL,12,'msg_-P788Tw1R7_4RDv03COxC3J7');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (30,'acc_default',0,30,'req_EBEB1zdxoZupnuqS',1795449810707,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tw1R7_4RDv03COxC3J7',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (31,'acc_default',0,31,'req_xQP5D9aDsiGezX7F',1795449810759,'key_YNkRb3jzXCeGoTHG','GET','/api/sending/messages/msg_-P788Tw1R7_4RDv03COxC3J7',200,NULL,1,NULL);
PRAGMA user_version = 13;
