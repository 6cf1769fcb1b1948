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
    version INTEGER NOT NULL
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
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795400274743,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_K9m6ojusefS3GK1u','ann@shop.example','acc_default','scrypt$65536$8$1$Dl1EUU6W/QHbe3VyGc/QIA==$HKkKTgmqOtlTNQ/XzT98pb1QYSYW/6kAkGeb5cTySQQ=',1,1795400275030,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_s48Fv4bTIVfBJvAj','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795400275252,1795400276014,NULL,9);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_9ypHRSIvMfF_j6Cy','acc_default','shop.example','PeTdXa7mKRSnWc8xdd4dOslWxRl_mzFw',1795400275063,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=PeTdXa7mKRSnWc8xdd4dOslWxRl_mzFw","found":["postrider-verification=PeTdXa7mKRSnWc8xdd4dOslWxRl_mzFw"],"checkedAtMs":1795400275063,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Messages to shop.example are sent to mail.shop.example.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"warnings":[],"checkedAtMs":1795400275063,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example authorizes 127.0.0.1.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795400275063,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr491a9e79._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmLZYqFjn4hjQtQC7whYyHuy0LXNt4i3svurJmBUUks4trwy/2wfpOaEgXE216I7JmEN+rhIuRSja42ysIxTK7Y3Hftg/fwV4nviWDojx43Q5aZsDhvapmmtVwrIn9e3l3e3PQnIEkxx1gX/LyxcZi7uqB+lFwnYH0srIpLA8vi7zru/nRj6rZ/YzzrQyc5u1adfzUPKBkoDJoMYPJgXJGUhmAvI7JHmPgapq+Masod0bb36P9DKaNKXqK9EoVsj+pHpX8aBCgTPK0PTAAAutfiJWylbrTZJyjSgkbEPYW/ZoVI2I0FQJhYCVY5HkDfr98Ivgu2XJamny3vGP3QidkQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmLZYqFjn4hjQtQC7whYyHuy0LXNt4i3svurJmBUUks4trwy/2wfpOaEgXE216I7JmEN+rhIuRSja42ysIxTK7Y3Hftg/fwV4nviWDojx43Q5aZsDhvapmmtVwrIn9e3l3e3PQnIEkxx1gX/LyxcZi7uqB+lFwnYH0srIpLA8vi7zru/nRj6rZ/YzzrQyc5u1adfzUPKBkoDJoMYPJgXJGUhmAvI7JHmPgapq+Masod0bb36P9DKaNKXqK9EoVsj+pHpX8aBCgTPK0PTAAAutfiJWylbrTZJyjSgkbEPYW/ZoVI2I0FQJhYCVY5HkDfr98Ivgu2XJamny3vGP3QidkQIDAQAB"],"warnings":[],"checkedAtMs":1795400275063,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"warnings":[],"checkedAtMs":1795400275063,"standing":true,"failedSinceMs":null}}',1795486675063,'pr491a9e79','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmLZYqFjn4hjQtQC7whYyHuy0LXNt4i3svurJmBUUks4trwy/2wfpOaEgXE216I7JmEN+rhIuRSja42ysIxTK7Y3Hftg/fwV4nviWDojx43Q5aZsDhvapmmtVwrIn9e3l3e3PQnIEkxx1gX/LyxcZi7uqB+lFwnYH0srIpLA8vi7zru/nRj6rZ/YzzrQyc5u1adfzUPKBkoDJoMYPJgXJGUhmAvI7JHmPgapq+Masod0bb36P9DKaNKXqK9EoVsj+pHpX8aBCgTPK0PTAAAutfiJWylbrTZJyjSgkbEPYW/ZoVI2I0FQJhYCVY5HkDfr98Ivgu2XJamny3vGP3QidkQIDAQAB',X'393EB7A196587410E5AE4300B4224E47EB34147D0E344FACE433138E1B643D2C9D36898E29EFDEEDA9B4F6C11437B18FDFC22A746C89A093C72C394E16ED484D766EDB95AC1DA8904C04189AD9E166BD5885C19BDC5DBDF8FEF45008E32974E2DA673DF4D461AA9B60CA3C6DF2BCA9B6AFC1D813EF6B0ECCC42B255206F38C0D03F62F0ED57E161464EF4BE1347117328FE129769C42D54E0FEDB0925CF30E44A4023771A6797E55005302AC96C331D4E96B1B31CD6A2811158E0CD5B8722E8FE6D2E8B2F18903B7949A4409760463331949701C79CFFC43DFEA65F407F54102BC38C5C72B3B49E3851D176CDEA025632F10572FDEDFB8689A70FA7E92FC9B9844CFA4BED24B0350F236B13C6D70F736F1E361905A334454FCDBF33376270BC524B2EF9A84B82537B2C1336963E01A68F2B3A468A07899CE0633DB72403429AE31D94CC0A32D818CEAD04566BB231F512E0D9B5F26BFC3667D2909098334B3B14F22F05615106C720DAE4E5FD96476B6A4254DB6A0F0B883EFD0CB7F235AEA443235A01B9A569AEB8A1E4932CF3FB94F3DCF156114F9831A0489D758D9B951B8B2BB8E7EE559D4BF4F02640702A3B8333C14B483A5E609159568643DFFE910266667036BF093DDED09F5B9CC74FE65BE9F202483CBBB0383EC5CF44C57016678E7A044C607708398A1848B366CDF6241C2B0ED7B293528BC233A2A74A58BF1396AFEB36DCF1EB5B64BDEFF0373284BEB449803F18C5EC0BD37B2573D935199C478C9D69FB17C83DC3E84DBCCD15923B68DEC49B7E76D458B08DAC2F236B1877C589EF5FD9C8B155F6D74F60E291F57CFD2B3F8A734CC23D9D0E46E7048FBED1B673BFAE08DEA0DB971B3C089FDB60F4C5F54E43379E7D715DD6A9E205D32E3822246C694730D51963867E269C75118E1E68B0E7BAA7936036C7484464BF9C7088E52D8663F1A52F1C8CC6A2C2AAFADB8E9B221339C5B04E4BB6CEF8F9DE22541A0773C9D119967F848B80A64ACFDF0324CDD9CE548FB91F6330C075CC28A611E98677C8F10B6986F7E8471FF24C6F88718FB00A6700E93D6A718D484C05F3A4159E25E8A21A22FD9526D7CB2468E644E9BB99067B093747BD6F9A3B91A5BEF8EEB4B10E3A83B94C2F4A0D134AA5DCC3AF40C579F89979C30697BC9CBEF1BFAD2E5CF13F833D9E361D28E4E55D545B55F8D171167DBE3DB47A87ACCD3A449258473611920D878CF62F9F3E6982397DE754051E2F1356B81D17F6F0029790175B21D44A93AB4DD6B45D0F3A24B56051E3CDD2648271DB6E964E8315D10ED2210097FA6DEB32221313C7F9A9067E689C0F8DFBBA87BADF0A49B9FDDFBDBBD9F45F9C297872F6CD416C91B0A83ABA92C2C41BEF3A10E799C1DB9B4227DB1614D0B86C9E699F4402A4679CC51F695177054DD4BCE0D32C57DA10C822B3196BE9DADC3A5B2C52A16D833B660D07E8A8879944A8B75876F560AB584DADF8DB021A054E37D53DBA4D6C0E450B84B4EE08121BF3B58C584F418AAB34B6458EF23D0ECDFAA8928EDD0FFA67AAB04A17B23F7ADF606A5CDD937670BBB6D8C1302A550D90DEE532A55E4B62D51E2E51877D0159ECA7988131DEA9734AE78D597E0F00167779C62F73C5626B5B32B2C7A398CE61ED55816052027FE313B186D6C2D4182D0CDCA9608462C44B6D033D69419CD53467EE9E3A197A8CAFB8E8D6C592EC5E612CF6BD2EABF471316036A3A2A3C1638A214976BA223B8D0BAB0D451AE95FFD5F995355BBEB075B35FB5F9AEB74D435AB7F41997E6317913ECAEA1AE8041D74DFFE06E1F716D76CC4CA5DDDE24E6AA35A30A14375296DBFFA1B02ADBEB7A343D4D7CF05C90B64AAA926B901692F57E2516B0E8647A9149B8A676E73FAEFFD83FF8F8EFCE80C1BA498FF8F39F85B2F353134DF5B6A2F5E35D700F4A7716E46EB6E323D0553A630B86FF2C0816CE817849DDA8181A1C5EC7EE401B6960CE5DFDF4D5B613ADDD80205DE9E9425F9741EC0C7BC037EC3ACF3BB03AFB39932558B35370DD409B9D1ADA2C7EB80EB5063FBB07A6EB0960A34859A06FD0F87FDF59346E2FE7E0547B4FA7AE66696AF7C00C6D33D54E1848D0BB42CCE2324E330D5094095D4CBEB8BD7AE1E6604C617B588AC5A5E0D60DCDDFF7A4F36F532A184B864C5555479AC86734209E1EBC711BEB1E631B9854D2AF5043737A841A438ABBCAF38336D2AD5ECDF56428F6FCB87F918CB3FAC5E0F50C3F8B48C86CF66194647968716104ADF3B7FDBA0E77D8F103E6FF1DCA1A8C678A0FB4FC4140FF3F498458814DF2203F467E617A978682B11DEDCE4DA5F7AE4148A314FF7CBA8456A93BBFEC53A0130B0EB165BC94D1EABEABFEAD97D1D4DE7A5334D890D2A64C5BC58128CB0D08EE7BCC5439AE712D92FFF72863F51041891C470CD5D8BD1D3FB9CF1B398CB682C696');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P75BWK7ZLqCE2_0D5eylSX5','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275272,1795400275452,1795573075272,'hello@shop.example','Settled','<RmXyU4-00kjJ6VEcHYJT0YK2@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P75BWN6EMlWovgcj58K-wOu','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275463,1795400275476,1795573075463,'hello@shop.example','Hello','<XxQxcKZVY-XOvoWUZllO9_6b@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P75BWOBYKPNSxmD9NupVYwg','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275532,1795400275532,1795573075532,'hello@shop.example','Hello','<ewQ36q2UbIfz4iNJj5Yc-YXj@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P75BWOMS4ARWU1WpTKbHHUi','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275543,1795400275543,1795573075543,'hello@shop.example','Hello','<gzePEiO-PTF2NVEQwo6LfxF6@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P75BWOR4LIKV5r1F8-4qCPK','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275548,1795400275548,1795573075548,'hello@shop.example','Hello','<Uz3HhAuapxwc2t4zD4UYX3BB@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P75BWO_2ZRJOcu-8E5-mRLL','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275557,1795400275568,1795573075557,'hello@shop.example','In doubt','<cyv7zc4YH6dtLgejD75SLwA3@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P75BWPVgES9vzSnkTTn8DYH','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275616,1795400275743,1795573075616,'hello@shop.example','Marked','<O-UOvRT4XpUVd_UAQIP4KEhI@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P75BWS8_m-c2G-KU5KgsDbm','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275785,1795400275901,1795573075785,'hello@shop.example','Waiting','<_zJD1YsLTFChz4dMF2FwUqrB@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P75BWUli5z44NlbyqRpXMml','acc_default','key_s48Fv4bTIVfBJvAj','dom_9ypHRSIvMfF_j6Cy',1795400275953,1795400275975,1795573075953,'hello@shop.example','Extras','<x2zf9EpMox5jBQ6SMJ9Rtnps@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C526D587955342D30306B6A4A3656456348594A5430594B324073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2483448947,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C58785178634B5A56592D584F766F57555A6C6C4F395F36624073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3405410559,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C65775133367132556249667A34694E4A6A3559632D59586A4073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1581506025,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C677A655045694F2D505446324E564551776F364C667846364073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2719932621,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C557A334868417561707877633274347A44345559583342424073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1813698866,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C637976377A633459483664744C67656A443735534C7741334073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',4216442846,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C4F2D554F7652543458705556645F5541514950344B4568494073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',166245895,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C5F7A4A443159734C544643687A34644D46324677557172424073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1415012727,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C78327A663945704D6F78356A425136534D4A3952746E70734073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31373A3535202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',509714970,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795400275452,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyuoy-0e80de044044","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795400275452,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795400275476,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795400275532,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795400275543,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795400275548,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795400275568,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795400275743,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795400275901,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795400275793,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795400275975,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyv3w-9af06336cef5","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795400275975,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyv3w-9af06336cef5","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795400275452,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyuoy-0e80de044044"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795400275452,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795400275476,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795400275532,"type":"suppressed","since_ms":1795400275476,"until_ms":1797992275476,"refusals":[{"at_ms":1795400275476,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795400275543,"type":"suppressed","since_ms":1795400275476,"until_ms":1797992275476,"refusals":[{"at_ms":1795400275476,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795400275548,"type":"suppressed","since_ms":1795400275476,"until_ms":1797992275476,"refusals":[{"at_ms":1795400275476,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795400275568,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795400275743,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795400275901,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795404034673}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795400275793,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:34213"}],"next_attempt_at_ms":1795403890945}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795400275975,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyv3w-9af06336cef5"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795400275975,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyv3w-9af06336cef5"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P75BWK7ZLqCE2_0D5eylSX5',1795400275272);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20780,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"*.customers.example","window":2.1666666666666665,"threshold":1.5},{"name":"*.later.example","window":2.5,"threshold":2.5}],"addresses":[{"address":"127.0.0.2","port":34213,"failures":1,"sinceMs":1795400275793,"probeAtMs":1795400276794,"error":"connect ECONNREFUSED 127.0.0.2:34213"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795400275476,'[{"at_ms":1795400275476,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_K9m6ojusefS3GK1u',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_K9m6ojusefS3GK1u','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795400275063);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Messages to shop.example are sent to mail.shop.example.',1795400275063);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example authorizes 127.0.0.1.',1795400275063);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at pr491a9e79._domainkey.shop.example.',1795400275063);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795400275063);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_9ypHRSIvMfF_j6Cy','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmLZYqFjn4hjQtQC7whYyHuy0LXNt4i3svurJmBUUks4trwy/2wfpOaEgXE216I7JmEN+rhIuRSja42ysIxTK7Y3Hftg/fwV4nviWDojx43Q5aZsDhvapmmtVwrIn9e3l3e3PQnIEkxx1gX/LyxcZi7uqB+lFwnYH0srIpLA8vi7zru/nRj6rZ/YzzrQyc5u1adfzUPKBkoDJoMYPJgXJGUhmAvI7JHmPgapq+Masod0bb36P9DKaNKXqK9EoVsj+pHpX8aBCgTPK0PTAAAutfiJWylbrTZJyjSgkbEPYW/ZoVI2I0FQJhYCVY5HkDfr98Ivgu2XJamny3vGP3QidkQIDAQAB',X'393EB7A196587410E5AE4300B4224E47EB34147D0E344FACE433138E1B643D2C9D36898E29EFDEEDA9B4F6C11437B18FDFC22A746C89A093C72C394E16ED484D766EDB95AC1DA8904C04189AD9E166BD5885C19BDC5DBDF8FEF45008E32974E2DA673DF4D461AA9B60CA3C6DF2BCA9B6AFC1D813EF6B0ECCC42B255206F38C0D03F62F0ED57E161464EF4BE1347117328FE129769C42D54E0FEDB0925CF30E44A4023771A6797E55005302AC96C331D4E96B1B31CD6A2811158E0CD5B8722E8FE6D2E8B2F18903B7949A4409760463331949701C79CFFC43DFEA65F407F54102BC38C5C72B3B49E3851D176CDEA025632F10572FDEDFB8689A70FA7E92FC9B9844CFA4BED24B0350F236B13C6D70F736F1E361905A334454FCDBF33376270BC524B2EF9A84B82537B2C1336963E01A68F2B3A468A07899CE0633DB72403429AE31D94CC0A32D818CEAD04566BB231F512E0D9B5F26BFC3667D2909098334B3B14F22F05615106C720DAE4E5FD96476B6A4254DB6A0F0B883EFD0CB7F235AEA443235A01B9A569AEB8A1E4932CF3FB94F3DCF156114F9831A0489D758D9B951B8B2BB8E7EE559D4BF4F02640702A3B8333C14B483A5E609159568643DFFE910266667036BF093DDED09F5B9CC74FE65BE9F202483CBBB0383EC5CF44C57016678E7A044C607708398A1848B366CDF6241C2B0ED7B293528BC233A2A74A58BF1396AFEB36DCF1EB5B64BDEFF0373284BEB449803F18C5EC0BD37B2573D935199C478C9D69FB17C83DC3E84DBCCD15923B68DEC49B7E76D458B08DAC2F236B1877C589EF5FD9C8B155F6D74F60E291F57CFD2B3F8A734CC23D9D0E46E7048FBED1B673BFAE08DEA0DB971B3C089FDB60F4C5F54E43379E7D715DD6A9E205D32E3822246C694730D51963867E269C75118E1E68B0E7BAA7936036C7484464BF9C7088E52D8663F1A52F1C8CC6A2C2AAFADB8E9B221339C5B04E4BB6CEF8F9DE22541A0773C9D119967F848B80A64ACFDF0324CDD9CE548FB91F6330C075CC28A611E98677C8F10B6986F7E8471FF24C6F88718FB00A6700E93D6A718D484C05F3A4159E25E8A21A22FD9526D7CB2468E644E9BB99067B093747BD6F9A3B91A5BEF8EEB4B10E3A83B94C2F4A0D134AA5DCC3AF40C579F89979C30697BC9CBEF1BFAD2E5CF13F833D9E361D28E4E55D545B55F8D171167DBE3DB47A87ACCD3A449258473611920D878CF62F9F3E6982397DE754051E2F1356B81D17F6F0029790175B21D44A93AB4DD6B45D0F3A24B56051E3CDD2648271DB6E964E8315D10ED2210097FA6DEB32221313C7F9A9067E689C0F8DFBBA87BADF0A49B9FDDFBDBBD9F45F9C297872F6CD416C91B0A83ABA92C2C41BEF3A10E799C1DB9B4227DB1614D0B86C9E699F4402A4679CC51F695177054DD4BCE0D32C57DA10C822B3196BE9DADC3A5B2C52A16D833B660D07E8A8879944A8B75876F560AB584DADF8DB021A054E37D53DBA4D6C0E450B84B4EE08121BF3B58C584F418AAB34B6458EF23D0ECDFAA8928EDD0FFA67AAB04A17B23F7ADF606A5CDD937670BBB6D8C1302A550D90DEE532A55E4B62D51E2E51877D0159ECA7988131DEA9734AE78D597E0F00167779C62F73C5626B5B32B2C7A398CE61ED55816052027FE313B186D6C2D4182D0CDCA9608462C44B6D033D69419CD53467EE9E3A197A8CAFB8E8D6C592EC5E612CF6BD2EABF471316036A3A2A3C1638A214976BA223B8D0BAB0D451AE95FFD5F995355BBEB075B35FB5F9AEB74D435AB7F41997E6317913ECAEA1AE8041D74DFFE06E1F716D76CC4CA5DDDE24E6AA35A30A14375296DBFFA1B02ADBEB7A343D4D7CF05C90B64AAA926B901692F57E2516B0E8647A9149B8A676E73FAEFFD83FF8F8EFCE80C1BA498FF8F39F85B2F353134DF5B6A2F5E35D700F4A7716E46EB6E323D0553A630B86FF2C0816CE817849DDA8181A1C5EC7EE401B6960CE5DFDF4D5B613ADDD80205DE9E9425F9741EC0C7BC037EC3ACF3BB03AFB39932558B35370DD409B9D1ADA2C7EB80EB5063FBB07A6EB0960A34859A06FD0F87FDF59346E2FE7E0547B4FA7AE66696AF7C00C6D33D54E1848D0BB42CCE2324E330D5094095D4CBEB8BD7AE1E6604C617B588AC5A5E0D60DCDDFF7A4F36F532A184B864C5555479AC86734209E1EBC711BEB1E631B9854D2AF5043737A841A438ABBCAF38336D2AD5ECDF56428F6FCB87F918CB3FAC5E0F50C3F8B48C86CF66194647968716104ADF3B7FDBA0E77D8F103E6FF1DCA1A8C678A0FB4FC4140FF3F498458814DF2203F467E617A978682B11DEDCE4DA5F7AE4148A314FF7CBA8456A93BBFEC53A0130B0EB165BC94D1EABEABFEAD97D1D4DE7A5334D890D2A64C5BC58128CB0D08EE7BCC5439AE712D92FFF72863F51041891C470CD5D8BD1D3FB9CF1B398CB682C696',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795400220000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795399800000,17,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795399800000,29,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
INSERT INTO content_parts (number, content, crc32) VALUES (1025,X'00',0);
INSERT INTO content_parts (number, content, crc32) VALUES (1026,X'00',0);
INSERT INTO staged (tail) VALUES (1);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',1,'evt_5CEs-WSDwo4Rxf5t',0,1,1795400275063,'domain.verified','"shop.example"');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',2,'evt__8YwffCo5xgKWmXG',1,1,1795400275272,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',3,'evt_J_vS1C3NMR9DAAAb',1,2,1795400275452,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyuoy-0e80de044044","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',4,'evt_ufO5xQaYJrnPArlo',1,3,1795400275452,'recipient.failed','{"email":"5xx-550@customers.example","result":"failed","reason":"recipient_refused","category":"other","attempts":1,"smtp":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',5,'evt_UFETYEJ5tv79LXXr',2,1,1795400275463,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',6,'evt_XmTBamiDvaJPyUUT',2,2,1795400275476,'recipient.failed','{"email":"nobody@customers.example","result":"failed","reason":"recipient_refused","category":"bad_address","attempts":1,"smtp":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',7,'evt_RedZFINZN3EpqxAw',3,1,1795400275532,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',8,'evt_cBhkIPDLGEsjByvH',3,2,1795400275532,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',9,'evt_nT8Lc89o6Tl82LDV',4,1,1795400275543,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',10,'evt_a_1jxWVfBmmCJ4TC',4,2,1795400275543,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',11,'evt_ZXiRUjjAXHaT6TAh',5,1,1795400275548,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',12,'evt_7yru0bqMbdZ4dcQZ',5,2,1795400275548,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',13,'evt_O9GOc8yUNEaMuRRZ',6,1,1795400275557,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',14,'evt_RCeH5kdIwZznuQTm',6,2,1795400275568,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',15,'evt_JuZLhHaSohqsFNFg',7,1,1795400275616,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',16,'evt_S8U0s26qpMmLGemE',7,2,1795400275743,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',17,'evt_Y4LptXA9MxpUJyNA',8,1,1795400275785,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',18,'evt_2kZZIB4qy6iV8vV2',8,2,1795400275793,'recipient.deferred','{"email":"waiting@later.example","result":"pending","reason":"connection_failed","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',19,'evt_w-de030EIz9y7ozS',8,3,1795400275901,'recipient.deferred','{"email":"4xx-451@customers.example","result":"pending","reason":"temporarily_refused","category":"other","attempts":1,"smtp":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',20,'evt_zFuG0BafXlKodPq-',9,1,1795400275953,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',21,'evt__p0qtP2MyCMQDsP8',9,2,1795400275975,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyv3w-9af06336cef5","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',22,'evt_6B0XGJarf37Omx5Q',9,3,1795400275975,'recipient.delivered','{"email":"copy@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmyv3w-9af06336cef5","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox_pruned (account_id, number) VALUES ('acc_second',7);
INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret, former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version) VALUES ('end_fixture','acc_default','https://hooks.example/','["recipient.failed"]',NULL,NULL,1790000000000,X'18AD2A89C12A7A8A7FDBE42FB3837995E3D15C77A3F8D866614CDAC9AE452FCCBC1E0D48E169E65B83D169EB18CD5A54337DBD802D5DCAE60D42D12F52A2CAD684B3',NULL,NULL,1790000001000,NULL,NULL,NULL,NULL,22,2);
INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms) VALUES ('end_fixture',1,2,4,1,1790000060000);
INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result, status, next_attempt_at_ms, error, response) VALUES ('end_fixture',1,2,'evt__8YwffCo5xgKWmXG','message.accepted','msg_-P75BWK7ZLqCE2_0D5eylSX5',1790000000000,12,1,'deferred',500,1790000060000,NULL,'an error');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (1,'acc_default',0,1,'req_PsAJr-H5BJjx1BeY',1795400275286,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,16,'msg_-P75BWK7ZLqCE2_0D5eylSX5');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (2,'acc_default',0,2,'req_fyvnCJ_KPig9_L3m',1795400275299,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWK7ZLqCE2_0D5eylSX5',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (3,'acc_default',0,3,'req_6uBAvh4Da6UOXzDY',1795400275355,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWK7ZLqCE2_0D5eylSX5',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (4,'acc_default',0,4,'req_JYYJAY8aemB-J-aQ',1795400275408,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWK7ZLqCE2_0D5eylSX5',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (5,'acc_default',0,5,'req_Y1jZS9Sjtprl_5pl',1795400275461,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWK7ZLqCE2_0D5eylSX5',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (6,'acc_default',0,6,'req_hBswDiqvTTYqtmRd',1795400275471,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,8,'msg_-P75BWN6EMlWovgcj58K-wOu');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (7,'acc_default',0,7,'req_skKIhu4PeWkCW5FB',1795400275475,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWN6EMlWovgcj58K-wOu',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (8,'acc_default',0,8,'req_hTSMeLwkTWYZOySr',1795400275528,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWN6EMlWovgcj58K-wOu',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (9,'acc_default',0,9,'req_39a9hJwqpCBVQY6T',1795400275535,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,3,'msg_-P75BWOBYKPNSxmD9NupVYwg');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (10,'acc_default',0,10,'req_xrsNbnbxGQsoq7Zi',1795400275537,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWOBYKPNSxmD9NupVYwg',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (11,'acc_default',0,11,'req_xyraWV1sFFdaxJGw',1795400275545,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,2,'msg_-P75BWOMS4ARWU1WpTKbHHUi');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (12,'acc_default',0,12,'req_cbpxsflmQoNPgo2C',1795400275546,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWOMS4ARWU1WpTKbHHUi',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (13,'acc_default',0,13,'req_ijdTmasPrxdZS4Md',1795400275554,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,6,'msg_-P75BWOR4LIKV5r1F8-4qCPK');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (14,'acc_default',0,14,'req_nGL9Qh9y4eVwEsCs',1795400275556,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWOR4LIKV5r1F8-4qCPK',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (15,'acc_default',0,15,'req_MPkFejSvefVmN_10',1795400275559,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,2,'msg_-P75BWO_2ZRJOcu-8E5-mRLL');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (16,'acc_default',0,16,'req_6eXCrzJL6PW1s4kr',1795400275560,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWO_2ZRJOcu-8E5-mRLL',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (17,'acc_default',0,17,'req_2rakp4QM0kRQ2zD4',1795400275613,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWO_2ZRJOcu-8E5-mRLL',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (18,'acc_default',0,18,'req_mbB7Gyoz4CFddO2-',1795400275622,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,7,'msg_-P75BWPVgES9vzSnkTTn8DYH');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (19,'acc_default',0,19,'req_fld5Sedwgu631G2j',1795400275624,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWPVgES9vzSnkTTn8DYH',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (20,'acc_default',0,20,'req_h8xy_lzM36aHAgZu',1795400275676,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWPVgES9vzSnkTTn8DYH',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (21,'acc_default',0,21,'req_mbasMjreSa0Pc8He',1795400275729,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWPVgES9vzSnkTTn8DYH',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (22,'acc_default',0,22,'req_BQTiNEn3dyJ0QX3w',1795400275782,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWPVgES9vzSnkTTn8DYH',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (23,'acc_default',0,23,'req_s2z85oRBzwr3X3-s',1795400275788,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,3,'msg_-P75BWS8_m-c2G-KU5KgsDbm');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (24,'acc_default',0,24,'req_WJudun5ButEh2lPD',1795400275789,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWS8_m-c2G-KU5KgsDbm',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (25,'acc_default',0,25,'req_QnuLvwAwbx0fUoEF',1795400275843,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWS8_m-c2G-KU5KgsDbm',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (26,'acc_default',0,26,'req_n0UesH1B1AQfU-HI',1795400275898,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWS8_m-c2G-KU5KgsDbm',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (27,'acc_default',0,27,'req_OX_gkDBUHp4wiemz',1795400275951,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWS8_m-c2G-KU5KgsDbm',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (28,'acc_default',0,28,'req_3dqrGkwbofJzR53R',1795400275959,'key_s48Fv4bTIVfBJvAj','POST','/api/sending/send',202,NULL,6,'msg_-P75BWUli5z44NlbyqRpXMml');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (29,'acc_default',0,29,'req_ywimOwmRFsXQMqh7',1795400275962,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWUli5z44NlbyqRpXMml',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (30,'acc_default',0,30,'req_AM3t4i-EaUIKRxSc',1795400276015,'key_s48Fv4bTIVfBJvAj','GET','/api/sending/messages/msg_-P75BWUli5z44NlbyqRpXMml',200,NULL,1,NULL);
PRAGMA user_version = 12;
