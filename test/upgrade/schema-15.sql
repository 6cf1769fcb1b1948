-- A spool of schema 15, made by the code that had it.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_ms INTEGER NOT NULL
  , quota_daily INTEGER, deleted_at_ms INTEGER, emptied_at_ms INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    password_hash TEXT NOT NULL,
    operator INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  , sealed_totp BLOB, totp_step INTEGER NOT NULL DEFAULT 0, role TEXT NOT NULL DEFAULT 'owner') STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    revoked_at_ms INTEGER
  , messages_sent INTEGER NOT NULL DEFAULT 0, test INTEGER NOT NULL DEFAULT 0, suspended INTEGER NOT NULL DEFAULT 0, permissions TEXT NOT NULL DEFAULT 'send,read', domains TEXT) STRICT, WITHOUT ROWID;
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
  , deadline_ms INTEGER, tags TEXT, metadata TEXT, test INTEGER NOT NULL DEFAULT 0, eight_bit INTEGER NOT NULL DEFAULT 0, request_id TEXT, idempotency_key TEXT) STRICT;
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
CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    email TEXT NOT NULL COLLATE NOCASE,
    role TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    UNIQUE (account_id, email)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE password_resets (
    hash BLOB PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE INDEX password_resets_user ON password_resets (user_id);
INSERT INTO accounts (id, name, created_at_ms, quota_daily, deleted_at_ms, emptied_at_ms) VALUES ('acc_default','default',1795628107520,NULL,NULL,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily, deleted_at_ms, emptied_at_ms) VALUES ('acc_second','second',1790000000000,NULL,NULL,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step, role) VALUES ('usr_xPu8fvh9fV6OAMlZ','ann@shop.example','acc_default','scrypt$65536$8$1$RDYV9dct4/9c3tBWRwzCdA==$hFVSZX/XLHr5hcr0qda8NmWlJU3y0vDDvf7Ubfr7oRg=',1,1795628108190,NULL,0,'owner');
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent, test, suspended, permissions, domains) VALUES ('key_JYZ8Juqep47vlm9k','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795628109168,1795628110309,NULL,9,0,0,'send,read',NULL);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent, test, suspended, permissions, domains) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0,0,0,'send,read',NULL);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_rHNYkno9HWH-qx1j','acc_default','shop.example','T3NkZ1DZg1i9lYv6DP0ghvs-QUJRtRGW',1795628108272,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=T3NkZ1DZg1i9lYv6DP0ghvs-QUJRtRGW","found":["postrider-verification=T3NkZ1DZg1i9lYv6DP0ghvs-QUJRtRGW"],"checkedAtMs":1795628108272,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Messages to shop.example are sent to mail.shop.example.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"warnings":[],"checkedAtMs":1795628108272,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example authorizes 127.0.0.1.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795628108272,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at prd18998ec._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxC+O1YVklfYZlrNQNZhRIeDo7JA6hE+Xg76UorSgPXKrxKVIhO30cCxoSRc0SkLrnxKcbO8ocO7BBvZcH+x4XsEEXemPzMzkMCCF0DoS6HVzynMLrG5d29INzPzDyza1m8WlYmKAqpa/bGHxT9K5L+oTMTYSngvurMPTfFekWyHXez5xSHZYvv2aDSB1i4ofxhYbPbtU4jve//GDALYbqWsY7QbexWtNStJoIWKPrb/w4fHhVHCIKVrZTmO49mXZUiLXTwO2l/J+xi1vQAJymxXzHyvMI0OPcihI0MN5BD+JzVT0Cvv+VT4HJfaGJU/LybwEg3Uhgb+J2qQ4Jq5SiQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxC+O1YVklfYZlrNQNZhRIeDo7JA6hE+Xg76UorSgPXKrxKVIhO30cCxoSRc0SkLrnxKcbO8ocO7BBvZcH+x4XsEEXemPzMzkMCCF0DoS6HVzynMLrG5d29INzPzDyza1m8WlYmKAqpa/bGHxT9K5L+oTMTYSngvurMPTfFekWyHXez5xSHZYvv2aDSB1i4ofxhYbPbtU4jve//GDALYbqWsY7QbexWtNStJoIWKPrb/w4fHhVHCIKVrZTmO49mXZUiLXTwO2l/J+xi1vQAJymxXzHyvMI0OPcihI0MN5BD+JzVT0Cvv+VT4HJfaGJU/LybwEg3Uhgb+J2qQ4Jq5SiQIDAQAB"],"warnings":[],"checkedAtMs":1795628108272,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"warnings":[],"checkedAtMs":1795628108272,"standing":true,"failedSinceMs":null}}',1795714508272,'prd18998ec','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxC+O1YVklfYZlrNQNZhRIeDo7JA6hE+Xg76UorSgPXKrxKVIhO30cCxoSRc0SkLrnxKcbO8ocO7BBvZcH+x4XsEEXemPzMzkMCCF0DoS6HVzynMLrG5d29INzPzDyza1m8WlYmKAqpa/bGHxT9K5L+oTMTYSngvurMPTfFekWyHXez5xSHZYvv2aDSB1i4ofxhYbPbtU4jve//GDALYbqWsY7QbexWtNStJoIWKPrb/w4fHhVHCIKVrZTmO49mXZUiLXTwO2l/J+xi1vQAJymxXzHyvMI0OPcihI0MN5BD+JzVT0Cvv+VT4HJfaGJU/LybwEg3Uhgb+J2qQ4Jq5SiQIDAQAB',X'55B3BA5F1709EAB184C83E9A9C1D514FBAF44046DA6308430844347581D82CBF204BECB5A905151BDEA901C10215D6E440E365C96F898471E8E072EA6146413AB82FD32904CBBA7E3245863373B680A8FA6BAA1240268BFA711406AF97FFE54067B699206A5AA734602D9E154C675F01000782AB43E18D15C2EB308F9B1BFEB7D0A7205280571D73F31956775A2021152B2FD5355DBB8F765A58CB1F59D27E3CFEE73C0088A53F41373F3A8C7FA141220D1E1CD6E7C820D74A1D1E7D73313724EB6FC45B0FA5A1914EF3AE94B97149F4708A4F5BD8C5486CD578869971FB29E50A73B90466579008488E80B3C5353412647CF4BC8916FE7037EBF6D84BA04CFD443BEFCF2EDFB34A42291ECB585CBBA264FF2243DC15E0736539DD1D397F8307AC8853044020CE8772AC7ABFF9895F5A46F283F64700B46E3C235C02C4106F5B37D13501374B6CF8C751B91E316C39E6C25F27AEC12E8E912203600DDECCDC80E27F88BA0ADE96A4670F4BC0291BA9AA745E06080E199E054EC1C09D65886CB020068C6A82111F2A4733A8443D6577F072EFF096B7842F56AAB8FF7521EF4FBE51B91F330CC95F1C26190A3ECF0552518F5513B802D88BDD1BB0BB1D9328615F0E02A3BD575B0BF574B37263A0E2C9B4F64FB4AFB43C009424D515D67620CC720CBC69794F6502C5F139D4C45E0605ADF0E99CE5C2AC813D3F7E525185051A2F3C246096F72CA45D89CDA2401D7F32F1DE8FE45D7AF453C7B14D48E6BF8FB9023F02181354C8309EF93A382444F1BDB758768FCF8EDFCC16E9DD55DD2E4E15083AEF94A4385DB773D018B9567182D421F1FCC28BE9532E2751DD41827A85B413A51D127249A9A27713840C4FC5735EE98A611FD381568B14CA54DFCC51E9B7927B5B3BE1CC2921F803CE2615637B839BFFCFC7B36BA2CBAEA9516BEBEA4CA05BECA375C103B04A59803FB424EF71E5E46D24817437FB900FF2D42D79255AE4BFECD11CF05E9E4CBBFDE68DD5038D91B40BF9E680AE1F712E206831A61F7BBB21D39FF8D7219D8E20ED129BA8B62187A5A45E44F9D5129F8C1CBDEB6808053ADAFBED3D2DA14D6C09FDA1FA3187AAA7FD9D22B60B4FD98FC53C39E17E9D5440825EE0D7DE470DCD200EFE811E1D2BD007F654EC5675E87DAC99AB9239BBC9E15661FBE93FCD96A81475FBA06808E3E53E175FC5EF58A61A7A052E7EFD38E70F683BB71CE5A3D38FD6EDA5BE0A5C059580E6F696CA673A06B336C56B4238FB404ADBCF7D870780105FF0E6CD5A9231B7C874A44BD097DDFEC708E7A6863C740BC2B209BD86246062AE3EED13F368F51F3CAE24A841D20C8A7C76D5869DFABB8807EFFE7A46AD0CA9492E8DACEAC597DB5B98BAFDEDC738AC58A36FAE849B593BC386878380DA2944463D8421739F756E4830731D8EEFD1E58B2F9E4085C98F850B409E3587F0DAE421CF3B2B8231CA26963F356B12302B63F2F482E9C580F432C7F92DC49E8062BD4B96D75883CFDE7A5F2039C4B3E463393AABF8724D5EFE07C047FB9945789C526CB47E5C21B2E7CB15A61F8879898129BAA3370F02308E0EFD9B0E99D12033D4F95CC95B494E14BDB07D3DFE644E66568BF498B37CB817D0713841C325DE0E3471E5AB493148E2FC53B298F10FDAF4273E83CABB655823ED546DE2CDAC64F4A369652BD820600D17DB26CA6479006F6B0CF6B3575096060460F84C87ACC9334FABA411EE047435EB2131ADD4486425A3CB3E04D8ECBD58131FAC610F016ED2DA2B7D37135559F53843D09D6C5A28C8399C97FFBE4DE88EE7A28CAF526E9509ADA627954F9D3E9C4F77F05C990F1C0D52405DB64DCF153E185304454598311DB9F91CA90EAF3E12CE40F786260E9026B74EDA5F55C6E3BEBDDA1618C351E605716D0D9357EAFE7F614985D4922154EF4075C4CE9EE3B7D9BB4107BDB6CD902CDF9E2C7AD5F5F550CA85DD63795DB7F5CD9A1FEFE701C01A4CCB8A12FFD4DD0D3CCE3D004C2725F73F6B96A70224E06887BFBF15557485577EDB4C8BE9D4BF7E0B851A244D127AC64012D3844298060EBE630FEC472853E848D34AFB821B87C03F50CC6F9B0D89B96F455820C369B02091CD1A40CEF57D771FEFE6C504C8D36AFF0088EDC3E8AB847E23263EA633484B429A82FB4ACC759A8DDC9B119C716D6A5D3A00D5A57A6DAC9EE86A999C9AE3BF50638278405C2425D67603FBD94C84BEA6063E8CBEB12AF9B5DF572B244FBE96D63A6CC84F72F68C954125D6E3148310A9A7491274C93B64360C33F509164325EEF52FF0F4FCE24785034277562B089D73B0C1949D20593C53A4A70B0389F8BBA749FB771CA0DBF827232ABDC899A6DC988A5968C21807AD655270A6C79614506B5AEB88D3F9F7AF582B4E026B759680F1F06165A267CA90607B5C90FDE951C615044DC07ABBF3FD196E4429E0EA');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (1,'msg_-P7IlcqP9dA7Rm-9L7A8dggB','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628109210,1795628109572,1795800909210,'hello@shop.example','Settled','<-P7IlcqPBE9UlKLahmIqGpiR@shop.example>',310,NULL,NULL,NULL,0,0,'req_LaxjlgtsZoB_eIy2','order-1');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (2,'msg_-P7Ilcx2llPXY-iFNiDQVbAQ','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628109635,1795628109657,1795800909635,'hello@shop.example','Hello','<-P7Ilcx2gEdJJ1n4ziQtHXbh@shop.example>',276,NULL,NULL,NULL,0,0,'req_jtyGOAFlgGdoKLSp',NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (3,'msg_-P7IlcyPUYH3xCh9hGW8ZsEi','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628109722,1795628109722,1795800909722,'hello@shop.example','Hello','<-P7IlcyPf23aCTEU8S51WIj0@shop.example>',276,NULL,NULL,NULL,0,0,'req_oEyyb4oP7dNgt5rz',NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (4,'msg_-P7Ilcz0V4lYOpylDs9GWBAn','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628109761,1795628109761,1795800909761,'hello@shop.example','Hello','<-P7Ilcz02TPCCWkFKXB_930d@shop.example>',276,NULL,NULL,NULL,0,0,'req_engxyAKKeYH3Q77X',NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (5,'msg_-P7IlczErnqLAzGVi7inaHYB','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628109775,1795628109775,1795800909775,'hello@shop.example','Hello','<-P7IlczEBjkzGX_LkMYZpbBR@shop.example>',276,NULL,NULL,NULL,0,0,'req_WLwF7_6YY_Z1psjO',NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (6,'msg_-P7IlczOXLTbLt-AQwFB8HK6','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628109785,1795628109820,1795800909785,'hello@shop.example','In doubt','<-P7IlczOplKE8gzLOXIqecqb@shop.example>',287,NULL,NULL,NULL,0,0,'req_Zayj0VeTZXW5405p',NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (7,'msg_-P7Ild-b5bX4zWi7Wk9J0kbB','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628109863,1795628110002,1795800909863,'hello@shop.example','Marked','<-P7Ild-b-NBpcP7akwh6icOA@shop.example>',285,NULL,NULL,NULL,0,0,'req_rMkDQ37ZVAmMEXZh',NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (8,'msg_-P7Ild2RXakEHCQUs7qz5IsN','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628110044,1795628110172,1795800910044,'hello@shop.example','Waiting','<-P7Ild2RjMcxgCRXRyMJfxVk@shop.example>',304,NULL,NULL,NULL,0,0,'req_0TSr4VN1jxHFF6ER',NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit, request_id, idempotency_key) VALUES (9,'msg_-P7Ild5V3rDzOli_MvqydAF9','acc_default','key_JYZ8Juqep47vlm9k','dom_rHNYkno9HWH-qx1j',1795628110240,1795628110288,1795800910240,'hello@shop.example','Extras','<-P7Ild5V5gwNw0ydaIOQF8Xk@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}',0,0,'req_AeqMZmPdRAwlrfif',NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C2D5037496C637150424539556C4B4C61686D4971477069524073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3039202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3667728867,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C2D5037496C6378326745644A4A316E347A695174485862684073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3039202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',397864242,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C2D5037496C63795066323361435445553853353157496A304073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3039202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3405031477,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C2D5037496C637A303254504343576B464B58425F393330644073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3039202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2464644247,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C2D5037496C637A45426A6B7A47585F4C6B4D595A706242524073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3039202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1430259313,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C2D5037496C637A4F706C4B4538677A4C4F584971656371624073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3039202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3698419155,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C2D5037496C642D622D4E4270635037616B77683669634F414073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3039202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',868241164,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C2D5037496C6432526A4D63786743525852794D4A6678566B4073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3130202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1875277373,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C2D5037496C6435563567774E7730796461494F514638586B4073686F702E6578616D706C653E0D0A446174653A205765642C203235204E6F7620323032362031373A33353A3130202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',144385635,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795628109572,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem4lj-2f3eaef7fc87","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795628109572,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795628109657,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795628109722,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795628109761,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795628109775,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795628109820,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795628110002,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795628110172,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795628110061,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795628110288,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem56r-40bc0f7a98d9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795628110288,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem56r-40bc0f7a98d9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795628109572,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem4lj-2f3eaef7fc87"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795628109572,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795628109657,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795628109722,"type":"suppressed","cause":"refusals","since_ms":1795628109657,"until_ms":1798220109657,"refusals":[{"at_ms":1795628109657,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795628109761,"type":"suppressed","cause":"refusals","since_ms":1795628109657,"until_ms":1798220109657,"refusals":[{"at_ms":1795628109657,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795628109775,"type":"suppressed","cause":"refusals","since_ms":1795628109657,"until_ms":1798220109657,"refusals":[{"at_ms":1795628109657,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795628109820,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795628110002,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795628110172,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795631912872}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795628110061,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:45797"}],"next_attempt_at_ms":1795631636625}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795628110288,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem56r-40bc0f7a98d9"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795628110288,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem56r-40bc0f7a98d9"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P7IlcqP9dA7Rm-9L7A8dggB',1795628109210);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20782,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"*.customers.example","window":2.1666666666666665,"threshold":1.5},{"name":"*.later.example","window":2.5,"threshold":2.5}],"addresses":[{"address":"127.0.0.2","port":45797,"failures":1,"sinceMs":1795628110061,"probeAtMs":1795628111061,"error":"connect ECONNREFUSED 127.0.0.2:45797"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795628109657,'[{"at_ms":1795628109657,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_xPu8fvh9fV6OAMlZ',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_xPu8fvh9fV6OAMlZ','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795628108272);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Messages to shop.example are sent to mail.shop.example.',1795628108272);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example authorizes 127.0.0.1.',1795628108272);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at prd18998ec._domainkey.shop.example.',1795628108272);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795628108272);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_rHNYkno9HWH-qx1j','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxC+O1YVklfYZlrNQNZhRIeDo7JA6hE+Xg76UorSgPXKrxKVIhO30cCxoSRc0SkLrnxKcbO8ocO7BBvZcH+x4XsEEXemPzMzkMCCF0DoS6HVzynMLrG5d29INzPzDyza1m8WlYmKAqpa/bGHxT9K5L+oTMTYSngvurMPTfFekWyHXez5xSHZYvv2aDSB1i4ofxhYbPbtU4jve//GDALYbqWsY7QbexWtNStJoIWKPrb/w4fHhVHCIKVrZTmO49mXZUiLXTwO2l/J+xi1vQAJymxXzHyvMI0OPcihI0MN5BD+JzVT0Cvv+VT4HJfaGJU/LybwEg3Uhgb+J2qQ4Jq5SiQIDAQAB',X'55B3BA5F1709EAB184C83E9A9C1D514FBAF44046DA6308430844347581D82CBF204BECB5A905151BDEA901C10215D6E440E365C96F898471E8E072EA6146413AB82FD32904CBBA7E3245863373B680A8FA6BAA1240268BFA711406AF97FFE54067B699206A5AA734602D9E154C675F01000782AB43E18D15C2EB308F9B1BFEB7D0A7205280571D73F31956775A2021152B2FD5355DBB8F765A58CB1F59D27E3CFEE73C0088A53F41373F3A8C7FA141220D1E1CD6E7C820D74A1D1E7D73313724EB6FC45B0FA5A1914EF3AE94B97149F4708A4F5BD8C5486CD578869971FB29E50A73B90466579008488E80B3C5353412647CF4BC8916FE7037EBF6D84BA04CFD443BEFCF2EDFB34A42291ECB585CBBA264FF2243DC15E0736539DD1D397F8307AC8853044020CE8772AC7ABFF9895F5A46F283F64700B46E3C235C02C4106F5B37D13501374B6CF8C751B91E316C39E6C25F27AEC12E8E912203600DDECCDC80E27F88BA0ADE96A4670F4BC0291BA9AA745E06080E199E054EC1C09D65886CB020068C6A82111F2A4733A8443D6577F072EFF096B7842F56AAB8FF7521EF4FBE51B91F330CC95F1C26190A3ECF0552518F5513B802D88BDD1BB0BB1D9328615F0E02A3BD575B0BF574B37263A0E2C9B4F64FB4AFB43C009424D515D67620CC720CBC69794F6502C5F139D4C45E0605ADF0E99CE5C2AC813D3F7E525185051A2F3C246096F72CA45D89CDA2401D7F32F1DE8FE45D7AF453C7B14D48E6BF8FB9023F02181354C8309EF93A382444F1BDB758768FCF8EDFCC16E9DD55DD2E4E15083AEF94A4385DB773D018B9567182D421F1FCC28BE9532E2751DD41827A85B413A51D127249A9A27713840C4FC5735EE98A611FD381568B14CA54DFCC51E9B7927B5B3BE1CC2921F803CE2615637B839BFFCFC7B36BA2CBAEA9516BEBEA4CA05BECA375C103B04A59803FB424EF71E5E46D24817437FB900FF2D42D79255AE4BFECD11CF05E9E4CBBFDE68DD5038D91B40BF9E680AE1F712E206831A61F7BBB21D39FF8D7219D8E20ED129BA8B62187A5A45E44F9D5129F8C1CBDEB6808053ADAFBED3D2DA14D6C09FDA1FA3187AAA7FD9D22B60B4FD98FC53C39E17E9D5440825EE0D7DE470DCD200EFE811E1D2BD007F654EC5675E87DAC99AB9239BBC9E15661FBE93FCD96A81475FBA06808E3E53E175FC5EF58A61A7A052E7EFD38E70F683BB71CE5A3D38FD6EDA5BE0A5C059580E6F696CA673A06B336C56B4238FB404ADBCF7D870780105FF0E6CD5A9231B7C874A44BD097DDFEC708E7A6863C740BC2B209BD86246062AE3EED13F368F51F3CAE24A841D20C8A7C76D5869DFABB8807EFFE7A46AD0CA9492E8DACEAC597DB5B98BAFDEDC738AC58A36FAE849B593BC386878380DA2944463D8421739F756E4830731D8EEFD1E58B2F9E4085C98F850B409E3587F0DAE421CF3B2B8231CA26963F356B12302B63F2F482E9C580F432C7F92DC49E8062BD4B96D75883CFDE7A5F2039C4B3E463393AABF8724D5EFE07C047FB9945789C526CB47E5C21B2E7CB15A61F8879898129BAA3370F02308E0EFD9B0E99D12033D4F95CC95B494E14BDB07D3DFE644E66568BF498B37CB817D0713841C325DE0E3471E5AB493148E2FC53B298F10FDAF4273E83CABB655823ED546DE2CDAC64F4A369652BD820600D17DB26CA6479006F6B0CF6B3575096060460F84C87ACC9334FABA411EE047435EB2131ADD4486425A3CB3E04D8ECBD58131FAC610F016ED2DA2B7D37135559F53843D09D6C5A28C8399C97FFBE4DE88EE7A28CAF526E9509ADA627954F9D3E9C4F77F05C990F1C0D52405DB64DCF153E185304454598311DB9F91CA90EAF3E12CE40F786260E9026B74EDA5F55C6E3BEBDDA1618C351E605716D0D9357EAFE7F614985D4922154EF4075C4CE9EE3B7D9BB4107BDB6CD902CDF9E2C7AD5F5F550CA85DD63795DB7F5CD9A1FEFE701C01A4CCB8A12FFD4DD0D3CCE3D004C2725F73F6B96A70224E06887BFBF15557485577EDB4C8BE9D4BF7E0B851A244D127AC64012D3844298060EBE630FEC472853E848D34AFB821B87C03F50CC6F9B0D89B96F455820C369B02091CD1A40CEF57D771FEFE6C504C8D36AFF0088EDC3E8AB847E23263EA633484B429A82FB4ACC759A8DDC9B119C716D6A5D3A00D5A57A6DAC9EE86A999C9AE3BF50638278405C2425D67603FBD94C84BEA6063E8CBEB12AF9B5DF572B244FBE96D63A6CC84F72F68C954125D6E3148310A9A7491274C93B64360C33F509164325EEF52FF0F4FCE24785034277562B089D73B0C1949D20593C53A4A70B0389F8BBA749FB771CA0DBF827232ABDC899A6DC988A5968C21807AD655270A6C79614506B5AEB88D3F9F7AF582B4E026B759680F1F06165A267CA90607B5C90FDE951C615044DC07ABBF3FD196E4429E0EA',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795628100000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795627800000,22,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795627800000,33,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
INSERT INTO content_parts (number, content, crc32) VALUES (1025,X'00',0);
INSERT INTO content_parts (number, content, crc32) VALUES (1026,X'00',0);
INSERT INTO staged (tail) VALUES (1);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',1,'evt_j1TT5mP2Em_mrOt5',0,1,1795628108272,'domain.verified','"shop.example"');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',2,'evt_JO7337KROQblhDDs',1,1,1795628109210,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',3,'evt_nmQ3Wvc58ZComdFy',1,2,1795628109572,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem4lj-2f3eaef7fc87","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',4,'evt_iLGIv29eWzsKzuCB',1,3,1795628109572,'recipient.failed','{"email":"5xx-550@customers.example","result":"failed","reason":"recipient_refused","category":"other","attempts":1,"smtp":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',5,'evt_8gqndwE54Lq5uxIm',2,1,1795628109635,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',6,'evt_UGCWtNEpBl8d285-',2,2,1795628109657,'recipient.failed','{"email":"nobody@customers.example","result":"failed","reason":"recipient_refused","category":"bad_address","attempts":1,"smtp":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',7,'evt_IZAPH_VAShCorYXd',3,1,1795628109722,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',8,'evt_f-J4Sa_LIAPHVZ3-',3,2,1795628109722,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',9,'evt_oPTXwxPre5tgHq7O',4,1,1795628109761,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',10,'evt_n-RnrbIru7Zzwn93',4,2,1795628109761,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',11,'evt_6bf4dFsh6XfCkUc1',5,1,1795628109775,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',12,'evt_GNwOHn1YaFhnJJIw',5,2,1795628109775,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',13,'evt_dMwpEQDmvTIdLq_A',6,1,1795628109785,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',14,'evt_zKF5tfDGDCuDTO5X',6,2,1795628109820,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',15,'evt_jFQFwIaNOix_F9rv',7,1,1795628109863,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',16,'evt_w6FNGtciAPJJLNnU',7,2,1795628110002,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',17,'evt_YQYjAPsf1m-ckT2B',8,1,1795628110044,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',18,'evt_Py2rYLx6htoy37Pc',8,2,1795628110061,'recipient.deferred','{"email":"waiting@later.example","result":"pending","reason":"connection_failed","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',19,'evt_38PEbnMTwop1tYZs',8,3,1795628110172,'recipient.deferred','{"email":"4xx-451@customers.example","result":"pending","reason":"temporarily_refused","category":"other","attempts":1,"smtp":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',20,'evt_x3NPiReT9HdzJ4tz',9,1,1795628110240,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',21,'evt_iU9I0qZYc46ysjVs',9,2,1795628110288,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem56r-40bc0f7a98d9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',22,'evt_Y7AmLhS1Zeq2Qjhd',9,3,1795628110288,'recipient.delivered','{"email":"copy@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwwem56r-40bc0f7a98d9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox_pruned (account_id, number) VALUES ('acc_second',7);
INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret, former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version, position_version) VALUES ('end_fixture','acc_default','https://hooks.example/','["recipient.failed"]',NULL,NULL,1790000000000,X'00F8BDEE0DA1DE9475E05B41034C12ACAEE028BB08830B6B07F1554BBBEE7A774B1282882A1E9036CE9AB805E8EDB0363904A773E8D4B4D0D77BC40EC774CEF65B9A',NULL,NULL,1790000001000,NULL,NULL,NULL,NULL,22,2,0);
INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms) VALUES ('end_fixture',1,2,4,1,1790000060000);
INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result, status, next_attempt_at_ms, error, response) VALUES ('end_fixture',1,2,'evt_JO7337KROQblhDDs','message.accepted','msg_-P7IlcqP9dA7Rm-9L7A8dggB',1790000000000,12,1,'deferred',500,1790000060000,NULL,'an error');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (1,'acc_default',0,1,'req_LaxjlgtsZoB_eIy2',1795628109233,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,29,'msg_-P7IlcqP9dA7Rm-9L7A8dggB');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (2,'acc_default',0,2,'req_kDOKPeGGI8Op_ZFT',1795628109287,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlcqP9dA7Rm-9L7A8dggB',200,NULL,3,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (3,'acc_default',0,3,'req_F232W7gW8WR6aUgF',1795628109358,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlcqP9dA7Rm-9L7A8dggB',200,NULL,11,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (4,'acc_default',0,4,'req_88YXZTFjGUHDns4Z',1795628109416,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlcqP9dA7Rm-9L7A8dggB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (5,'acc_default',0,5,'req_p9tSCjH7cyA6aO7s',1795628109484,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlcqP9dA7Rm-9L7A8dggB',200,NULL,7,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (6,'acc_default',0,6,'req_YHlVxmRJiz6nx1jA',1795628109548,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlcqP9dA7Rm-9L7A8dggB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (7,'acc_default',0,7,'req__WsqcF3E5t7YkgVt',1795628109611,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlcqP9dA7Rm-9L7A8dggB',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (8,'acc_default',0,8,'req_jtyGOAFlgGdoKLSp',1795628109641,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,6,'msg_-P7Ilcx2llPXY-iFNiDQVbAQ');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (9,'acc_default',0,9,'req_n6GOmgc4iGsmLI_O',1795628109651,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ilcx2llPXY-iFNiDQVbAQ',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (10,'acc_default',0,10,'req_yzgQElmiPve38gI1',1795628109711,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ilcx2llPXY-iFNiDQVbAQ',200,NULL,3,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (11,'acc_default',0,11,'req_oEyyb4oP7dNgt5rz',1795628109735,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,14,'msg_-P7IlcyPUYH3xCh9hGW8ZsEi');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (12,'acc_default',0,12,'req_TDFx16PoETgcsz_q',1795628109740,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlcyPUYH3xCh9hGW8ZsEi',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (13,'acc_default',0,13,'req_engxyAKKeYH3Q77X',1795628109767,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,6,'msg_-P7Ilcz0V4lYOpylDs9GWBAn');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (14,'acc_default',0,14,'req_lopE88SpLbHgPRjV',1795628109771,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ilcz0V4lYOpylDs9GWBAn',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (15,'acc_default',0,15,'req_WLwF7_6YY_Z1psjO',1795628109781,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,6,'msg_-P7IlczErnqLAzGVi7inaHYB');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (16,'acc_default',0,16,'req_-4vAGcXSuHefZUSY',1795628109783,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlczErnqLAzGVi7inaHYB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (17,'acc_default',0,17,'req_Zayj0VeTZXW5405p',1795628109795,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,10,'msg_-P7IlczOXLTbLt-AQwFB8HK6');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (18,'acc_default',0,18,'req_byQSzRYolIkxe7kT',1795628109800,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlczOXLTbLt-AQwFB8HK6',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (19,'acc_default',0,19,'req_m9k1fTFbMOYI5B0o',1795628109856,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7IlczOXLTbLt-AQwFB8HK6',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (20,'acc_default',0,20,'req_rMkDQ37ZVAmMEXZh',1795628109869,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,7,'msg_-P7Ild-b5bX4zWi7Wk9J0kbB');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (21,'acc_default',0,21,'req_Vz6FzleQuj5W68eh',1795628109875,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild-b5bX4zWi7Wk9J0kbB',200,NULL,4,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (22,'acc_default',0,22,'req_riqNIYVlQV-6Vyoh',1795628109929,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild-b5bX4zWi7Wk9J0kbB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (23,'acc_default',0,23,'req_CLCqcCZlMwFyQ2hH',1795628109988,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild-b5bX4zWi7Wk9J0kbB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (24,'acc_default',0,24,'req_Yk9UeJLLYflB5Aoj',1795628110041,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild-b5bX4zWi7Wk9J0kbB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (25,'acc_default',0,25,'req_0TSr4VN1jxHFF6ER',1795628110050,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,6,'msg_-P7Ild2RXakEHCQUs7qz5IsN');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (26,'acc_default',0,26,'req_aTW3T4OLvJ_X8pjz',1795628110052,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild2RXakEHCQUs7qz5IsN',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (27,'acc_default',0,27,'req_OA-KAqDpcfxGKiWS',1795628110111,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild2RXakEHCQUs7qz5IsN',200,NULL,6,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (28,'acc_default',0,28,'req_wX0lX1yX1yXfVZqE',1795628110167,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild2RXakEHCQUs7qz5IsN',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (29,'acc_default',0,29,'req_-fc2_Uj4yXkXylMi',1795628110234,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild2RXakEHCQUs7qz5IsN',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (30,'acc_default',0,30,'req_AeqMZmPdRAwlrfif',1795628110253,'key_JYZ8Juqep47vlm9k','POST','/api/sending/send',202,NULL,13,'msg_-P7Ild5V3rDzOli_MvqydAF9');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (31,'acc_default',0,31,'req_jVCoRzTTOkPyoeXQ',1795628110255,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild5V3rDzOli_MvqydAF9',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (32,'acc_default',0,32,'req_aSE1GWs6CVrJCimp',1795628110311,'key_JYZ8Juqep47vlm9k','GET','/api/sending/messages/msg_-P7Ild5V3rDzOli_MvqydAF9',200,NULL,2,NULL);
INSERT INTO incoming (number, id, recipient, envelope_sender, ip, received_at_ms, due_at_ms, content) VALUES (1,'inc_fixture','b-none@bounces.shop.example','','192.0.2.1',1790000000000,9790000000000,X'00');
INSERT INTO feedback (seq, position, kind, at_ms, detail) VALUES (1,0,'complaint',1790000000000,'{"kind":"abuse"}');
INSERT INTO suppressed_addresses (account_id, address, cause, at_ms, message_id) VALUES ('acc_default','gone@customers.example','unsubscribed',1790000000000,'msg_fixture');
INSERT INTO return_paths (account_id, domain, checks, active, since_ms) VALUES ('acc_default','shop.example','{"return_path_mx":{"state":"verified","detail":"It is published.","expected":"a record","found":["a record"],"checkedAtMs":1790000000000,"standing":true,"failedSinceMs":null},"return_path_spf":{"state":"verified","detail":"It is published.","expected":"a record","found":["a record"],"checkedAtMs":1790000000000,"standing":true,"failedSinceMs":null}}',1,1790000000000);
INSERT INTO secrets (name, sealed) VALUES ('feedback',X'847E1C062B60958C23ED6AFD94E194CB3A6DE9EB446ACE42C20F7454E7CD4EAEC2F4D259EAE1FFB80F7780C4DEBDF5BB0B6FE7858334F7CBD5767C944EAE9DD6BB46185C193EC660');
INSERT INTO dmarc_reports (id, account_id, domain, week_ms, org, report_id, begin_ms, end_ms, received_at_ms, policy, messages, failed, failed_ours) VALUES ('r1','acc_default','shop.example',1789948800000,'mail.example','id',1790000000000,1790086399000,1790090000000,'none',2,1,0);
INSERT INTO dmarc_report_sources (report, position, ip, ours, messages, disposition, dkim, spf, header_from) VALUES ('r1',0,'203.0.113.7','no',1,'none',0,0,'shop.example');
INSERT INTO dmarc_report_sources (report, position, ip, ours, messages, disposition, dkim, spf, header_from) VALUES ('r1',1,'192.0.2.1','address',1,'none',1,1,'shop.example');
INSERT INTO tls_reports (id, account_id, domain, week_ms, org, report_id, begin_ms, end_ms, received_at_ms, succeeded, failed) VALUES ('t1','acc_default','shop.example',1789948800000,'mail.example','id',1790000000000,1790086399000,1790090000000,10,1);
INSERT INTO tls_report_failures (report, position, policy_type, result_type, mx, sessions) VALUES ('t1',0,'sts','validation-failure','',1);
INSERT INTO tls_sessions (day, domain, policy_type, result_type, mx, sending_ip, receiving_ip, sessions) VALUES (20717,'customers.example','sts','','','','',1);
INSERT INTO invitations (id, hash, account_id, email, role, invited_by, created_at_ms) VALUES ('inv_fixture',X'03','acc_default','eve@shop.example','viewer','ann@shop.example',1790000000000);
INSERT INTO password_resets (hash, user_id, created_at_ms) VALUES (X'04','usr_xPu8fvh9fV6OAMlZ',1790000000000);
PRAGMA user_version = 15;
