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
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795490930594,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_ubDsqmDkmZvvuQUa','ann@shop.example','acc_default','scrypt$65536$8$1$t6tXcypuWgE+7uJiu4v+IA==$FoGweMz8kINN2MGZdjge6+TWbKZS4Rsa+zbKYOr/RiM=',1,1795490931442,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent, test) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent, test) VALUES ('key_xVbMy7V2vV7Devb6','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795490932236,1795490934094,NULL,9,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_n3WlZRRFoC3ADSZY','acc_default','shop.example','wXrkOg-HMiCmxIPDa8Ibg3aj1OX7O3nL',1795490931560,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=wXrkOg-HMiCmxIPDa8Ibg3aj1OX7O3nL","found":["postrider-verification=wXrkOg-HMiCmxIPDa8Ibg3aj1OX7O3nL"],"checkedAtMs":1795490931560,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Messages to shop.example are sent to mail.shop.example.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"warnings":[],"checkedAtMs":1795490931560,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example authorizes 127.0.0.1.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795490931560,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr44f85bd5._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAlN/jV1IcGLl4ZwZtKxB3BMPSTc/bifgTD9TJr0ESQhCYw4TuQbTOT98RJxU1hvF2rwTA9w6UHIGctNY1Yu51YdF3r2QMORY32XCnsFsmbN8nZ2Wgbu7x71X1jXgNuwFzZNqImlUK5WQ2LD8cOXbCLmdGle2J++n3BkZTcXDk4C/uRaYC68J9hl9h7U1tZWUsk5RJGCpG65tptNF1UFwIWyba+NLfwDEJk0dU8tSG3hOxgsU6S5UZ0Ka0iuZPzodagRYt55C+d6h1siMGz7Wf145NqExOVX51WVEPbs4906OhD4SLZ3+ikTHreUSezDVUYkiaRUce0iqRZbLwA+rBHwIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAlN/jV1IcGLl4ZwZtKxB3BMPSTc/bifgTD9TJr0ESQhCYw4TuQbTOT98RJxU1hvF2rwTA9w6UHIGctNY1Yu51YdF3r2QMORY32XCnsFsmbN8nZ2Wgbu7x71X1jXgNuwFzZNqImlUK5WQ2LD8cOXbCLmdGle2J++n3BkZTcXDk4C/uRaYC68J9hl9h7U1tZWUsk5RJGCpG65tptNF1UFwIWyba+NLfwDEJk0dU8tSG3hOxgsU6S5UZ0Ka0iuZPzodagRYt55C+d6h1siMGz7Wf145NqExOVX51WVEPbs4906OhD4SLZ3+ikTHreUSezDVUYkiaRUce0iqRZbLwA+rBHwIDAQAB"],"warnings":[],"checkedAtMs":1795490931560,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"warnings":[],"checkedAtMs":1795490931560,"standing":true,"failedSinceMs":null}}',1795577331560,'pr44f85bd5','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAlN/jV1IcGLl4ZwZtKxB3BMPSTc/bifgTD9TJr0ESQhCYw4TuQbTOT98RJxU1hvF2rwTA9w6UHIGctNY1Yu51YdF3r2QMORY32XCnsFsmbN8nZ2Wgbu7x71X1jXgNuwFzZNqImlUK5WQ2LD8cOXbCLmdGle2J++n3BkZTcXDk4C/uRaYC68J9hl9h7U1tZWUsk5RJGCpG65tptNF1UFwIWyba+NLfwDEJk0dU8tSG3hOxgsU6S5UZ0Ka0iuZPzodagRYt55C+d6h1siMGz7Wf145NqExOVX51WVEPbs4906OhD4SLZ3+ikTHreUSezDVUYkiaRUce0iqRZbLwA+rBHwIDAQAB',X'E1222CCAA33FB2B353FAA53A5C7F9A00EF8744A3A9F21D3154860B6238E1331279234D40DC9D097228CD96BE794B3CC611188674064BBADC7B3379F1911387633D130045CB4F6DB90716995AB71F49EF7CEC283CD455C15E29E199158C2616CF624DF0F21360C381EB60A3A6E8DFDCC5661DA76E8CC4A7F576E3A0DB1D0D678A61D3F159C9D2E31DDCDFC02467E997C75B994B01F1D80E6F28584E29231D7955649F27E15F366BC008F655045BB533F658DE36FB0A700BCCCE452D9234583CE919CF950B3D935DE72AB17CE6C00CFD254A39C04A2BA72F59E7B523E8F875FEF51E4D5793E9DD52E0C51B962522F64C04C63202EDC8D5B514A44B36FFDB49FC3644E0D328A83A0187373E00BC716551C2C5D59695185BA9BA4895B72385105AE4A37210B927C7FBE9B44FB61455B7E339F5042AB66D4102C075F50051B2472FD4858EFE9A5806349E2373A7B5ED471AAFB6A458C72E22D060A3F8149D30B627DB58E64929F05DEE7F81C5FF08D2121B8003D9BF88A3653D42258393DE3038C310274544849172A8A0C451C2C7C8D6BE10077C6EB657017431A0C30E6BF90F71E0DE2CEC9CDA790B2AE5DCCFC6BEC10C5655A7488C4A54F2B23278A6F40BDE2ECAF6D095E68D210FA37A10C873E85ABFCDEBD5FEEBD5346B96A19EFFBF5F237D00D84EAEC9515578E289FED18A024746E16D65DA5AD67BDADF248A406E5B40B48C5A2BC261B60770DC2BEAABC4CFE178C840C8F59FF061FF111C3E95C955F9EA75CB65AB227B09823607545DD0A87E114CEF98A340BBB54CBB1422CDB55BD148B347573119F67AD8F32FA5033A7D53FDE0262E889AA747C0FCD8358B75F1E8EE7C614B3FE8ED7646E98AD4FCAF80C0ECC087D20B02B68FBB74BEDD47B6DBE2FB39169A305FA50660708C12541A4A341B8EE45885B00242FD377C0E3B404C3A385C5C810E3ED5188D5CA22AE85C73F22EF25F3C3DD37C6230464CB511E6CC9158DEF9EAB84160D99532520736DCCF8E1D95D164D0976DA5A9AEA8AEA1BC320DE97DBD4694B023CD1B8CF0F9AB2519295DB34C5473BC0D4485FA4CF29581FA407D881455B22C8E95A89E3D4A70B43E8556077A23F1A3CBDBD4AF6E51A5D5276CDC4EB8B91FB04896CBE880917C03F5FE97C0933DDF1EF1B753C70AD2EC46C0A1ECEACC89B1DABEFACE07549664F27798DF1118506CEA43E84BF953B2E8E0247959036F28BFD7893EF246DE5DDAE1C17DE1CC0A349DBFC5AEBBC25DC32D49BABB97E231FD9F76A77B4500085565EC04827A946936B68025923B5773F59C279E82288F6D15BAD7C5DD486CBFB17C3B7D3A64D96EDE30291A417C355ED60B78B5127D471F47ABE69FA9119DA2165BACBB6326F6C8B083C763D76AC416C6710F1B9C4B4F1AF924CCD84D11F4DA66255F36FD2316A4AA74A22321BF2FB4C1439FA08B87C5CA74F47B0FA504A426070BE5F307A0CD2862D1C6C3AC523F4670D1D51BF88CF152162E7BDAA510138222B4E32C08AD27350F946CEA7283BE9C5664390274B1BAFBCED9B764F85B5846F91B7E1342D3C00FA45F55DBC83686B975C9D3E6041B50B2B02247780103EA25E5FD52971B0B9C16A39010C198DC19485F9A3144048980A44966E5EA9AF4A0AAB1EE465B7BDE35B5B9E7F6B2823BAFAF0209928272A5849EF8312A4B085A1DD68F079F33300E032DCD09F5CD0C220E4B77472E8D339AE611C2BA6D6CCB36678315657073301691F223A7DC05E02AA5AA8E0B40319CCA2DB5695D674EC7829A2C01118CDE2F3497199FC5BE7655E52F0749DE597A368D88D472ED87D7DACE58760A6D27CD2E767093FB60045D48ECDEE3B81C3D1DC4E25CBD260F6378D50480BE9F3FDA5BA12A099F319EE2D22FFAE3A17648E9C9E0EDD465792CD59C0BF9074C1406D619DB50A4A078A594F8BE88140FDE0177E2AF7C2A8BEAE28ACBCA425E576ADA0E419A5DCF5C686AA2EA64A18A6430260E1AF79038129445F6973BE6DC9ADDF5E2843A1AE8A2A4208BCFB4A52F513F08C9EA652FDADEF9B7387ABDF2D734BD13C5F5D3B14885F166B821B7E337DFF0D8019D5CDDF8CCDA56249A0EC8DD6976D0C8CFC7AB8D3C94C131E8F0358541A011205086BD684176406C805DDCD5C740614C688277A2C70DF406A486824ED6230F5948A0DE4A5E45DF1D4F4C2D52AD80003188C90E423388B8A7B3CFD1DCC146F77E08560A848D8952CEFB82EBF2B739DD8876A5D06FC653AC0B9A5AB2A9D263996CBA590EDF55A70E7138B971932E036A6477E532BDA79C106CAA4A6FCBEFEA5FA215F302A591B745C0E56365E12C39890E3AAAF0E352835BF44AA87B8671D22251D1A449C1A74F4E5DD63FF815ED9A1DBF8F99821969FA1E1863A1E749F4C2200011C526507B5BF2E6391A0A1E823CBAE99BC5C0322C766E2A76F48A44ED79B4B94FAC8192FB640506');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (1,'msg_-P7AaLRu5R7-bJO3hGZmtEAy','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490932538,1795490932995,1795663732538,'hello@shop.example','Settled','<itiLEWTCn0oNzaTaBhILUzmk@shop.example>',310,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (2,'msg_-P7AaLb35ycsZfdiru82Akix','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490933188,1795490933211,1795663733188,'hello@shop.example','Hello','<DKGXO0rSgw6kRNRhhfGdzKdK@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (3,'msg_-P7AaLcN2_L0TEdCOKT6Obe4','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490933272,1795490933272,1795663733272,'hello@shop.example','Hello','<srQoxbkeC02jc4vb_hSimoU5@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (4,'msg_-P7AaLcdVRu1kIt8_soEWuHo','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490933289,1795490933289,1795663733289,'hello@shop.example','Hello','<1j4v6F42V4pqlNZ1TfqpcEEp@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (5,'msg_-P7AaLcrRIwKCkGNJpp4xQH1','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490933303,1795490933303,1795663733303,'hello@shop.example','Hello','<sL6mzKIBT-77thPqaR5RNtJo@shop.example>',276,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (6,'msg_-P7AaLd5uGqHPm-Yt74ne1ga','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490933318,1795490933355,1795663733318,'hello@shop.example','In doubt','<Jo9DjqQSVeV-A43pZMCsaYr6@shop.example>',287,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (7,'msg_-P7AaLea_WQLUz0paDPwXZlO','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490933414,1795490933585,1795663733414,'hello@shop.example','Marked','<0J9SIF4sLrRTiQWCPHiG3qr9@shop.example>',285,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (8,'msg_-P7AaLhwDWxiTWvPlwlp_WIA','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490933628,1795490933799,1795663733628,'hello@shop.example','Waiting','<GIs6uxmIQ9IXlQtjKLFCaMLz@shop.example>',304,NULL,NULL,NULL,0,0);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata, test, eight_bit) VALUES (9,'msg_-P7AaLlpYHZ7Svgkomff8x2a','acc_default','key_xVbMy7V2vV7Devb6','dom_n3WlZRRFoC3ADSZY',1795490933877,1795490934073,1795663733877,'hello@shop.example','Extras','<BNR2PZ6_4OyaudRbSt0wgsYB@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}',0,0);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C6974694C455754436E306F4E7A6154614268494C557A6D6B4073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3532202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3656678574,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C444B47584F3072536777366B524E5268686647647A4B644B4073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1398275515,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C7372516F78626B654330326A633476625F6853696D6F55354073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',733967612,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C316A347636463432563470716C4E5A3154667170634545704073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',830021762,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C734C366D7A4B4942542D373774685071615235524E744A6F4073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3014609331,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C4A6F39446A7151535665562D413433705A4D4373615972364073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2929216138,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C304A3953494634734C7252546951574350486947337172394073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1345236850,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C4749733675786D49513949586C51746A4B4C4643614D4C7A4073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',890858118,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C424E5232505A365F344F79617564526253743077677359424073686F702E6578616D706C653E0D0A446174653A205475652C203234204E6F7620323032362030333A32383A3533202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',877556769,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795490932995,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xyhp-91fe71fc622b","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795490932995,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795490933211,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795490933272,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795490933289,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795490933303,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795490933355,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795490933585,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795490933799,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795490933648,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795490934073,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xz9t-5abe52a6c73f","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795490934073,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xz9t-5abe52a6c73f","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795490932995,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xyhp-91fe71fc622b"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795490932995,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795490933211,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795490933272,"type":"suppressed","since_ms":1795490933211,"until_ms":1798082933211,"refusals":[{"at_ms":1795490933211,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795490933289,"type":"suppressed","since_ms":1795490933211,"until_ms":1798082933211,"refusals":[{"at_ms":1795490933211,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795490933303,"type":"suppressed","since_ms":1795490933211,"until_ms":1798082933211,"refusals":[{"at_ms":1795490933211,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795490933355,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795490933585,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795490933799,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795494492114}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795490933648,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:41301"}],"next_attempt_at_ms":1795494219570}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795490934073,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xz9t-5abe52a6c73f"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795490934073,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xz9t-5abe52a6c73f"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P7AaLRu5R7-bJO3hGZmtEAy',1795490932538);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20781,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"*.customers.example","window":2.1666666666666665,"threshold":1.5},{"name":"*.later.example","window":2.5,"threshold":2.5}],"addresses":[{"address":"127.0.0.2","port":41301,"failures":1,"sinceMs":1795490933647,"probeAtMs":1795490934647,"error":"connect ECONNREFUSED 127.0.0.2:41301"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795490933211,'[{"at_ms":1795490933211,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_ubDsqmDkmZvvuQUa',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_ubDsqmDkmZvvuQUa','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795490931560);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Messages to shop.example are sent to mail.shop.example.',1795490931560);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example authorizes 127.0.0.1.',1795490931560);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at pr44f85bd5._domainkey.shop.example.',1795490931560);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795490931560);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_n3WlZRRFoC3ADSZY','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAlN/jV1IcGLl4ZwZtKxB3BMPSTc/bifgTD9TJr0ESQhCYw4TuQbTOT98RJxU1hvF2rwTA9w6UHIGctNY1Yu51YdF3r2QMORY32XCnsFsmbN8nZ2Wgbu7x71X1jXgNuwFzZNqImlUK5WQ2LD8cOXbCLmdGle2J++n3BkZTcXDk4C/uRaYC68J9hl9h7U1tZWUsk5RJGCpG65tptNF1UFwIWyba+NLfwDEJk0dU8tSG3hOxgsU6S5UZ0Ka0iuZPzodagRYt55C+d6h1siMGz7Wf145NqExOVX51WVEPbs4906OhD4SLZ3+ikTHreUSezDVUYkiaRUce0iqRZbLwA+rBHwIDAQAB',X'E1222CCAA33FB2B353FAA53A5C7F9A00EF8744A3A9F21D3154860B6238E1331279234D40DC9D097228CD96BE794B3CC611188674064BBADC7B3379F1911387633D130045CB4F6DB90716995AB71F49EF7CEC283CD455C15E29E199158C2616CF624DF0F21360C381EB60A3A6E8DFDCC5661DA76E8CC4A7F576E3A0DB1D0D678A61D3F159C9D2E31DDCDFC02467E997C75B994B01F1D80E6F28584E29231D7955649F27E15F366BC008F655045BB533F658DE36FB0A700BCCCE452D9234583CE919CF950B3D935DE72AB17CE6C00CFD254A39C04A2BA72F59E7B523E8F875FEF51E4D5793E9DD52E0C51B962522F64C04C63202EDC8D5B514A44B36FFDB49FC3644E0D328A83A0187373E00BC716551C2C5D59695185BA9BA4895B72385105AE4A37210B927C7FBE9B44FB61455B7E339F5042AB66D4102C075F50051B2472FD4858EFE9A5806349E2373A7B5ED471AAFB6A458C72E22D060A3F8149D30B627DB58E64929F05DEE7F81C5FF08D2121B8003D9BF88A3653D42258393DE3038C310274544849172A8A0C451C2C7C8D6BE10077C6EB657017431A0C30E6BF90F71E0DE2CEC9CDA790B2AE5DCCFC6BEC10C5655A7488C4A54F2B23278A6F40BDE2ECAF6D095E68D210FA37A10C873E85ABFCDEBD5FEEBD5346B96A19EFFBF5F237D00D84EAEC9515578E289FED18A024746E16D65DA5AD67BDADF248A406E5B40B48C5A2BC261B60770DC2BEAABC4CFE178C840C8F59FF061FF111C3E95C955F9EA75CB65AB227B09823607545DD0A87E114CEF98A340BBB54CBB1422CDB55BD148B347573119F67AD8F32FA5033A7D53FDE0262E889AA747C0FCD8358B75F1E8EE7C614B3FE8ED7646E98AD4FCAF80C0ECC087D20B02B68FBB74BEDD47B6DBE2FB39169A305FA50660708C12541A4A341B8EE45885B00242FD377C0E3B404C3A385C5C810E3ED5188D5CA22AE85C73F22EF25F3C3DD37C6230464CB511E6CC9158DEF9EAB84160D99532520736DCCF8E1D95D164D0976DA5A9AEA8AEA1BC320DE97DBD4694B023CD1B8CF0F9AB2519295DB34C5473BC0D4485FA4CF29581FA407D881455B22C8E95A89E3D4A70B43E8556077A23F1A3CBDBD4AF6E51A5D5276CDC4EB8B91FB04896CBE880917C03F5FE97C0933DDF1EF1B753C70AD2EC46C0A1ECEACC89B1DABEFACE07549664F27798DF1118506CEA43E84BF953B2E8E0247959036F28BFD7893EF246DE5DDAE1C17DE1CC0A349DBFC5AEBBC25DC32D49BABB97E231FD9F76A77B4500085565EC04827A946936B68025923B5773F59C279E82288F6D15BAD7C5DD486CBFB17C3B7D3A64D96EDE30291A417C355ED60B78B5127D471F47ABE69FA9119DA2165BACBB6326F6C8B083C763D76AC416C6710F1B9C4B4F1AF924CCD84D11F4DA66255F36FD2316A4AA74A22321BF2FB4C1439FA08B87C5CA74F47B0FA504A426070BE5F307A0CD2862D1C6C3AC523F4670D1D51BF88CF152162E7BDAA510138222B4E32C08AD27350F946CEA7283BE9C5664390274B1BAFBCED9B764F85B5846F91B7E1342D3C00FA45F55DBC83686B975C9D3E6041B50B2B02247780103EA25E5FD52971B0B9C16A39010C198DC19485F9A3144048980A44966E5EA9AF4A0AAB1EE465B7BDE35B5B9E7F6B2823BAFAF0209928272A5849EF8312A4B085A1DD68F079F33300E032DCD09F5CD0C220E4B77472E8D339AE611C2BA6D6CCB36678315657073301691F223A7DC05E02AA5AA8E0B40319CCA2DB5695D674EC7829A2C01118CDE2F3497199FC5BE7655E52F0749DE597A368D88D472ED87D7DACE58760A6D27CD2E767093FB60045D48ECDEE3B81C3D1DC4E25CBD260F6378D50480BE9F3FDA5BA12A099F319EE2D22FFAE3A17648E9C9E0EDD465792CD59C0BF9074C1406D619DB50A4A078A594F8BE88140FDE0177E2AF7C2A8BEAE28ACBCA425E576ADA0E419A5DCF5C686AA2EA64A18A6430260E1AF79038129445F6973BE6DC9ADDF5E2843A1AE8A2A4208BCFB4A52F513F08C9EA652FDADEF9B7387ABDF2D734BD13C5F5D3B14885F166B821B7E337DFF0D8019D5CDDF8CCDA56249A0EC8DD6976D0C8CFC7AB8D3C94C131E8F0358541A011205086BD684176406C805DDCD5C740614C688277A2C70DF406A486824ED6230F5948A0DE4A5E45DF1D4F4C2D52AD80003188C90E423388B8A7B3CFD1DCC146F77E08560A848D8952CEFB82EBF2B739DD8876A5D06FC653AC0B9A5AB2A9D263996CBA590EDF55A70E7138B971932E036A6477E532BDA79C106CAA4A6FCBEFEA5FA215F302A591B745C0E56365E12C39890E3AAAF0E352835BF44AA87B8671D22251D1A449C1A74F4E5DD63FF815ED9A1DBF8F99821969FA1E1863A1E749F4C2200011C526507B5BF2E6391A0A1E823CBAE99BC5C0322C766E2A76F48A44ED79B4B94FAC8192FB640506',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795490880000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795490400000,30,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795490400000,35,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
INSERT INTO content_parts (number, content, crc32) VALUES (1025,X'00',0);
INSERT INTO content_parts (number, content, crc32) VALUES (1026,X'00',0);
INSERT INTO staged (tail) VALUES (1);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',1,'evt_ggLrVD5WGX_va4t6',0,1,1795490931560,'domain.verified','"shop.example"');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',2,'evt_SHroh8MNH9umePU8',1,1,1795490932538,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',3,'evt_jdLA4SR7eVo2Auh9',1,2,1795490932995,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xyhp-91fe71fc622b","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',4,'evt_giAyG4LS9FpfVwZj',1,3,1795490932995,'recipient.failed','{"email":"5xx-550@customers.example","result":"failed","reason":"recipient_refused","category":"other","attempts":1,"smtp":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',5,'evt_jclSufSUfzHXt8fG',2,1,1795490933188,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',6,'evt_4hBBQ6x09h0fUKii',2,2,1795490933211,'recipient.failed','{"email":"nobody@customers.example","result":"failed","reason":"recipient_refused","category":"bad_address","attempts":1,"smtp":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',7,'evt_KdFIk-5DRoRv3fIE',3,1,1795490933272,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',8,'evt_9ZVMF9EpkApPwlY6',3,2,1795490933272,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',9,'evt_wCW3kDnDaPulqU2P',4,1,1795490933289,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',10,'evt_5VFMJZxJBP1Yar33',4,2,1795490933289,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',11,'evt_zF_KhVbOY7uhKlZd',5,1,1795490933303,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',12,'evt_gncRUvr6maPqv_c0',5,2,1795490933303,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',13,'evt_2SJ_hBqKgtcgEHJe',6,1,1795490933318,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',14,'evt_gEmztBiGOYsBwyNy',6,2,1795490933355,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',15,'evt_ACQ_7T7k-DXMixVX',7,1,1795490933414,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',16,'evt_6yGqaabuAmNbJrZt',7,2,1795490933585,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',17,'evt_pIr9jA7l1Bkfe-S1',8,1,1795490933628,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',18,'evt_bZtIQaGp51Ld0maa',8,2,1795490933648,'recipient.deferred','{"email":"waiting@later.example","result":"pending","reason":"connection_failed","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',19,'evt_Ll5pZMdOvY-xWW0U',8,3,1795490933799,'recipient.deferred','{"email":"4xx-451@customers.example","result":"pending","reason":"temporarily_refused","category":"other","attempts":1,"smtp":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',20,'evt_kAwTzPcWql7sePo8',9,1,1795490933877,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',21,'evt_CEVLYkng9vhDsRTs',9,2,1795490934073,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xz9t-5abe52a6c73f","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',22,'evt_tJy6nTT7UGxeZwqp',9,3,1795490934073,'recipient.delivered','{"email":"copy@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwu4xz9t-5abe52a6c73f","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox_pruned (account_id, number) VALUES ('acc_second',7);
INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret, former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version, position_version) VALUES ('end_fixture','acc_default','https://hooks.example/','["recipient.failed"]',NULL,NULL,1790000000000,X'E01F5D0E99D25A89D29A90ED04EF5E98BC2CC5549444A2844A4DEBED3D54FBAFB492CD856FB62EBB11A5AC3D789AFBEC6B2455AC6BC5C956E016E0501B89D543BA60',NULL,NULL,1790000001000,NULL,NULL,NULL,NULL,22,2,0);
INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms) VALUES ('end_fixture',1,2,4,1,1790000060000);
INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result, status, next_attempt_at_ms, error, response) VALUES ('end_fixture',1,2,'evt_SHroh8MNH9umePU8','message.accepted','msg_-P7AaLRu5R7-bJO3hGZmtEAy',1790000000000,12,1,'deferred',500,1790000060000,NULL,'an error');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (1,'acc_default',0,1,'req_l35LmH_v4URvV9PQ',1795490932615,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,70,'msg_-P7AaLRu5R7-bJO3hGZmtEAy');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (2,'acc_default',0,2,'req_loHtOL-y4DqMtrER',1795490932667,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLRu5R7-bJO3hGZmtEAy',200,NULL,5,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (3,'acc_default',0,3,'req_N4hDrj0IC9t4ytd9',1795490932725,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLRu5R7-bJO3hGZmtEAy',200,NULL,3,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (4,'acc_default',0,4,'req_JbduOGSzBrupy4Re',1795490932829,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLRu5R7-bJO3hGZmtEAy',200,NULL,50,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (5,'acc_default',0,5,'req_3lKqq3uQh8E7zQm4',1795490932931,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLRu5R7-bJO3hGZmtEAy',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (6,'acc_default',0,6,'req_4F_ci1gv6nTNLslc',1795490933003,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLRu5R7-bJO3hGZmtEAy',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (7,'acc_default',0,7,'req_s-CG1g4o9DE19GNh',1795490933119,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLRu5R7-bJO3hGZmtEAy',200,NULL,61,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (8,'acc_default',0,8,'req_-1B-niifodHR1Wui',1795490933193,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,5,'msg_-P7AaLb35ycsZfdiru82Akix');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (9,'acc_default',0,9,'req_oTO06dHlrVndghnT',1795490933206,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLb35ycsZfdiru82Akix',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (10,'acc_default',0,10,'req_M5GhQMi8qopWLG0j',1795490933265,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLb35ycsZfdiru82Akix',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (11,'acc_default',0,11,'req_yEvEXx1FYs3BMtL9',1795490933276,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,5,'msg_-P7AaLcN2_L0TEdCOKT6Obe4');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (12,'acc_default',0,12,'req_kVa021SERkPZYRz8',1795490933283,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLcN2_L0TEdCOKT6Obe4',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (13,'acc_default',0,13,'req_GNbu8umNWrNbPpkq',1795490933293,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,4,'msg_-P7AaLcdVRu1kIt8_soEWuHo');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (14,'acc_default',0,14,'req_9vVQLK5FDagzCAlX',1795490933298,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLcdVRu1kIt8_soEWuHo',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (15,'acc_default',0,15,'req_nhQkBdYj1tizVZvc',1795490933310,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,7,'msg_-P7AaLcrRIwKCkGNJpp4xQH1');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (16,'acc_default',0,16,'req_434T9TiUWWbT1av_',1795490933314,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLcrRIwKCkGNJpp4xQH1',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (17,'acc_default',0,17,'req_PnZz-MvQ1u8NR-GE',1795490933323,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,5,'msg_-P7AaLd5uGqHPm-Yt74ne1ga');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (18,'acc_default',0,18,'req_4w-AA3GHRtXvPRlJ',1795490933333,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLd5uGqHPm-Yt74ne1ga',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (19,'acc_default',0,19,'req_3N12I_bnQFsGccpy',1795490933399,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLd5uGqHPm-Yt74ne1ga',200,NULL,9,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (20,'acc_default',0,20,'req_CZTGLlva5cznxgXj',1795490933419,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,5,'msg_-P7AaLea_WQLUz0paDPwXZlO');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (21,'acc_default',0,21,'req_zUyEm-C9CYJeKuyH',1795490933426,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLea_WQLUz0paDPwXZlO',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (22,'acc_default',0,22,'req_u4bOPvhYEuMzBFCs',1795490933481,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLea_WQLUz0paDPwXZlO',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (23,'acc_default',0,23,'req_ON9C9wGefcmmCwHM',1795490933559,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLea_WQLUz0paDPwXZlO',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (24,'acc_default',0,24,'req_Jd227SXqA2W5CpjQ',1795490933623,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLea_WQLUz0paDPwXZlO',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (25,'acc_default',0,25,'req_chJAbnjUu_x3nZS6',1795490933633,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,5,'msg_-P7AaLhwDWxiTWvPlwlp_WIA');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (26,'acc_default',0,26,'req_O4r_RBkdopoQWZLe',1795490933636,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLhwDWxiTWvPlwlp_WIA',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (27,'acc_default',0,27,'req_OEAeokxW11UJSRNY',1795490933701,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLhwDWxiTWvPlwlp_WIA',200,NULL,10,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (28,'acc_default',0,28,'req_KKpnrjyxTEdRB50u',1795490933784,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLhwDWxiTWvPlwlp_WIA',200,NULL,17,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (29,'acc_default',0,29,'req_r6xEpW2FT0-IZ5IZ',1795490933855,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLhwDWxiTWvPlwlp_WIA',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (30,'acc_default',0,30,'req_fWJ11xa-q51JOxBR',1795490933905,'key_xVbMy7V2vV7Devb6','POST','/api/sending/send',202,NULL,29,'msg_-P7AaLlpYHZ7Svgkomff8x2a');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (31,'acc_default',0,31,'req_XcSVcfoQCURq6Zsg',1795490933925,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLlpYHZ7Svgkomff8x2a',200,NULL,17,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (32,'acc_default',0,32,'req_3M7q2fOuF84EHqXP',1795490933991,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLlpYHZ7Svgkomff8x2a',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (33,'acc_default',0,33,'req_gqBu8O7kpF8FOX0k',1795490934094,'key_xVbMy7V2vV7Devb6','GET','/api/sending/messages/msg_-P7AaLlpYHZ7Svgkomff8x2a',200,NULL,1,NULL);
INSERT INTO return_paths (account_id, domain, checks, active, since_ms) VALUES ('acc_default','shop.example','{"return_path_mx":{"state":"verified","detail":"It is published.","expected":"a record","found":["a record"],"checkedAtMs":1790000000000,"standing":true,"failedSinceMs":null},"return_path_spf":{"state":"verified","detail":"It is published.","expected":"a record","found":["a record"],"checkedAtMs":1790000000000,"standing":true,"failedSinceMs":null}}',1,1790000000000);
INSERT INTO secrets (name, sealed) VALUES ('feedback',X'9262F9E7D2635F60344A033904A742FAEB393E8132C793C39EE20AA2791FB9BB461ADB4FAD90923A3407A6CF220AD11BF4F3961D9A3001FF5B7418C225F8395832D8C4A62565211F');
PRAGMA user_version = 14;
