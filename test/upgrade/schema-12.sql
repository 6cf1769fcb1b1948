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
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795399878894,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_JelPBMlNdag4yxtv','ann@shop.example','acc_default','scrypt$65536$8$1$+A8eXBMfQXzrhY7VWRA05Q==$kIQy/NVmCZ36UEiq7O1a+UxplIJOCMs4fR0XTM7POto=',1,1795399879133,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_mr_2uZcPNU5wXeSj','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795399879456,1795399880279,NULL,9);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_bnWXk5AoXinT9kHV','acc_default','shop.example','FmPcSqjD6QolD9ZqNnCOV-d3tlKeWZ8r',1795399879201,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=FmPcSqjD6QolD9ZqNnCOV-d3tlKeWZ8r","found":["postrider-verification=FmPcSqjD6QolD9ZqNnCOV-d3tlKeWZ8r"],"checkedAtMs":1795399879201,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Messages to shop.example are sent to mail.shop.example.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"warnings":[],"checkedAtMs":1795399879201,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example authorizes 127.0.0.1.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795399879201,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr7410ed58._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1UHRt8PwssPYcsISmKsYUWLNIw529KiorYKkZ0P05+OFAivITE7Gve9FxDW3lWqUXmJdje8mxQ52T/532r/lc+Tk/ekXzfnjRXZd3gPQbzbR67i0tixOoM1RPmqYioA9HyGFvu85bBhAY34HFrzg6JaBI3/3ra0p0YJ2fXnv4WHJYkLl0P4Rqzapyk4lbSV4jkB/0Y8yi7dwiAYKNcCgc7HzgnG7hZMYFdm6GleOnyFIhk8HWpmgI3jjJlVEmfXYj6Prov878eyASV08V9NGtilabhUd1dlMNUgb4LlOUo5yANNXLyb239UPm9bpAxmhy/PpVrwXCavqzA5iEZ2UowIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1UHRt8PwssPYcsISmKsYUWLNIw529KiorYKkZ0P05+OFAivITE7Gve9FxDW3lWqUXmJdje8mxQ52T/532r/lc+Tk/ekXzfnjRXZd3gPQbzbR67i0tixOoM1RPmqYioA9HyGFvu85bBhAY34HFrzg6JaBI3/3ra0p0YJ2fXnv4WHJYkLl0P4Rqzapyk4lbSV4jkB/0Y8yi7dwiAYKNcCgc7HzgnG7hZMYFdm6GleOnyFIhk8HWpmgI3jjJlVEmfXYj6Prov878eyASV08V9NGtilabhUd1dlMNUgb4LlOUo5yANNXLyb239UPm9bpAxmhy/PpVrwXCavqzA5iEZ2UowIDAQAB"],"warnings":[],"checkedAtMs":1795399879201,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"warnings":[],"checkedAtMs":1795399879201,"standing":true,"failedSinceMs":null}}',1795486279201,'pr7410ed58','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1UHRt8PwssPYcsISmKsYUWLNIw529KiorYKkZ0P05+OFAivITE7Gve9FxDW3lWqUXmJdje8mxQ52T/532r/lc+Tk/ekXzfnjRXZd3gPQbzbR67i0tixOoM1RPmqYioA9HyGFvu85bBhAY34HFrzg6JaBI3/3ra0p0YJ2fXnv4WHJYkLl0P4Rqzapyk4lbSV4jkB/0Y8yi7dwiAYKNcCgc7HzgnG7hZMYFdm6GleOnyFIhk8HWpmgI3jjJlVEmfXYj6Prov878eyASV08V9NGtilabhUd1dlMNUgb4LlOUo5yANNXLyb239UPm9bpAxmhy/PpVrwXCavqzA5iEZ2UowIDAQAB',X'6BEB9DE54827FD487CDBF543A679064E832BF06B8B13AF5424C783F11DF72E101A61127CEBEB5791D48DDBADF28A5FCBF57848542664AAD45282116DD5CE0E73B3EC14490132CFA005C230251F66F4324C14EC0FD4BF89D8095379986483248DE8F8EDC4D77A63B4A8D2718748702837CF32E3B8651DAE19305FAE022873022714B2828E971BF73C4902F22AE56E5EFAB7C403FC2058B4FACE7B6B039E4DDF672A5625FB6498C4F3AA349974401614D170454A669BEB38E1B701685ED47EA9FA6ADDDCF95C36E9B103A116D2BFB1944CCBD00615DC5DBE2304BD336FD8AA3FBA1832324EA7241964935AA5102B5D45EC8F6D2A242D7127B069E161D09A521E2073BE4D9EECA756A6853A9B796E499A485BBC39B0C6B8E7BD93E938BCEE3906722746DAA26A1BCF5D80518539A5B0AEFBE6C4FA0D5632FFDC4D5341D8399ECB9A5692284A67C47C636DAA1EE684135E7BDB89D5DB7BE90EBF346B9F976DD7044F3E3B4CC028E3FF1A0E82A923CB4EF58B5C7425CC114474D9EE739F5BE4D522E9B41FEAC99CAC76B7F334832981A75C989E6F12CB411EADEF049A919C73EDC382C3E59415F97EB7A59F535004C4AEBC3994F66596EC6FA8232E335315427C405B865652E7C238632ADEAB51B7D1CAB0FBC7F089493A52AA8791BB580B2BD34E9010EC47B171BFF805B15F9899D59DA05A1F30AE3D84D372B4BD945D620289D73F2F7EA6A70234CC44CEF5CAF35A698A9D68F8CE8ABBFEFD23351F2DC5EF6FB8741F1249A6965D1E5678C0259133DA3154D4C8C5117EBBD6898EFF1BBA478D4D810C141F1F85AAA3C1E4690934BF87C2DA98FB75038E37FC2FFDB321B855F37AE637EA65A2636F327282D3D304EA9A61D70C818A3323CDDBF700C7C94C4945308E336F9F21CF4672BC1E68549EC2FDFA799D76F12053986A6F1B2A27629962D7FE3D8791BA9C2B9C2D1A80C0E76619659CC938647001B1C68FAA8B1DE1C54C4EB05D2947734DAD1924EB71BB0065D98EC62E9626E02D012AEDE5CD25A189CF1FD857DB28E93C726011E296A78E9425EE884B9EC120D849A5FC7A8508D9E040356B0AEACF5ADC364AEA5A22736BCEFA5A9FB0BB37AF235A45E6AAD2BAF5EFC6EF7E304FCD051482D755016EBDF535B966EE46F37CFDB77151C6ADDA6ECCA6FD5A68610DBC25F0E7DB4C44FC99324CB13A50B01AEFC60E3FC43158EEFB516C4EFDA714065490B34E8939041F3B8B4C6C6578462B8A6F3A1E9B3AF24B6477BB85C6C740F545BDED131DAF87CC954C173B256624CCDC24C6478990CB6B30CA3F995ABF67061A4FC2A38FEE0F534793A79999802A63C89B885A5637CCEDDA130A88B4F6F83263B7B2378DC8B4F212F3A8C53D30C42D48A85146EC59B73A7B354FB48669E4169654E8FABEE85FC3C28338B5FAFFD4382E645C9D2B89621B193F3C6E36721F8029DBBC5061E43BC6C78B17B92300D862C3D4953091669158E14460991BE3800DC430A9CEADF7DB8D45295D0540F4D0C322FF58236E50343040F7ED99D489639F58A25C9B4812D9CF6C8A3EBDAF2914AD08891E13DC7A37BBB6EE8A2EAB41E228939C38F253F3C9A369E68797C9E8F1A2D020EF08FAE8CECEF721C32C0E805D7D98F204A4069F7AD9C90BD996CC3218CA6012D7DB0BF33C222B7C657A583C7AEA8D2557C97BFE50AB0A706FF70D6D6FA31CE31FEB1110A6A483C35A349ACE6114BD9A3954AE89F660BA2D0A72E146BC78EC2CD7B67538550725BE1DCA19A2BCD150061F346C009E239BF2A79C079BEFC0A355E8D76A7BBEB195394680DF79C979017125A2013855B0243DFEF0E43074FF5142E044F9C7ED8B8C574FE077B9BA1835F37457F2CABDBCF4CD0903F467CDDBCE22F228FDBE44F07D2116217CF7EC6A0C0F0BC3DFFBD6418AE7A3DC91EEA2D80DE4BE513B75E6D6BA77A8073B1CB67A46FF759E73F06AC44A17CC0621312209A499E2CB97230D16E26464D9508C14379442ED1259A6107BE396627065FD613615123761CD902377FFE9D2B4BEC589468E5BE912C6D50AEFF12F0BFA159EED364BC8F01ED9ACCE0296CB6E46A2F7533F40A1561B069027548C016BDE4457A8D0C64329B58F2FA1BD87CDF4A64D8DE8C77FE96B962CD09A11A945AC3D34C7D32A3ABBFD8E26BFF1E8CAFB1CE5342DAB1DA5814768D343B92ABD6BD5F42A451842B008F8197ED1BC306FC91FC234D375972DE561D66C1B5873B7E7722FA3F968DC8A7ED3E1AB0E1E65B5A3DEBCFFB46B04E8E9DD746172C4177DAF4C3249A0A57CB86F55B0FCC011CF644642F64E63799ACA5DB9C9888DC733A669F92243856361B8104F83B5E11D0EB660E774825B57220CDC4D7539FE825E3BE6F13AA00EE78CF8C1BE5F8D54E63FEA84A1620640F75179E49093ED1507A1A5376EEE49FFB8050B2CB699A1C67E08DA82ADBE71BA76BA4EF2');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P75A-gsZNZul1k4Fd7fV6eU','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399879480,1795399879695,1795572679480,'hello@shop.example','Settled','<nBDAhSbnGh9cFffe7FQyiYqa@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P75A-k_HphjOhmjZF_sH7m2','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399879717,1795399879735,1795572679717,'hello@shop.example','Hello','<7_X89Q-iWTU544X1_gzBbstP@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P75A-lhw93aDNnw_1sOtZYI','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399879789,1795399879789,1795572679789,'hello@shop.example','Hello','<qXRtuWAEm0RXIeA9x5G0bn8v@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P75A-lpseZ8z_It7gP1rn3b','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399879797,1795399879797,1795572679797,'hello@shop.example','Hello','<gmI5StE76iCmiEi2ZmueeeQw@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P75A-m0NkOIiZlflJXbKlGF','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399879809,1795399879809,1795572679809,'hello@shop.example','Hello','<4gNhNDGx2Yr4EtqXA8XrqjB4@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P75A-m9IKpRQtC0Q4bvfa68','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399879818,1795399879841,1795572679818,'hello@shop.example','In doubt','<uMI9HLI2uHDWoPpaplhbCD5D@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P75A-n8HzYmCeHkQCpEA-rB','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399879881,1795399879999,1795572679881,'hello@shop.example','Marked','<K_txXGnHHbEQ_6GzDVS8IFCD@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P75A-plN6Kcvi9COwhy_P5d','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399880049,1795399880165,1795572680049,'hello@shop.example','Waiting','<eGI7Oys0yOoLb4jw_BMsjRHA@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P75A-sOe8TzFx3Z4YeC6CRS','acc_default','key_mr_2uZcPNU5wXeSj','dom_bnWXk5AoXinT9kHV',1795399880217,1795399880236,1795572680217,'hello@shop.example','Extras','<OK-V3mMc5AcFY8ygmt7Dw6R7@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C6E4244416853626E476839634666666537465179695971614073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3139202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',116151011,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C375F583839512D6957545535343458315F677A42627374504073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3139202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2418603397,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C71585274755741456D3052584965413978354730626E38764073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3139202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',997082469,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C676D4935537445373669436D694569325A6D7565656551774073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3139202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',474231639,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C34674E684E444778325972344574715841385872716A42344073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3139202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',38106160,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C754D4939484C4932754844576F507061706C6862434435444073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3139202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3719692670,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C4B5F747858476E48486245515F36477A44565338494643444073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3139202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',216747068,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C654749374F797330794F6F4C62346A775F424D736A5248414073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3230202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',10608198,NULL,NULL,NULL);
INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C4F4B2D56336D4D6335416346593879676D743744773652374073686F702E6578616D706C653E0D0A446174653A204D6F6E2C203233204E6F7620323032362030323A31313A3230202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1155695081,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795399879695,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdby-49d77bdbcdf9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795399879695,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795399879735,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795399879789,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795399879797,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795399879809,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795399879841,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795399879999,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795399880165,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795399880059,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795399880236,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdr8-19b9dc8919c6","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795399880236,'{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdr8-19b9dc8919c6","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795399879695,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdby-49d77bdbcdf9"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795399879695,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795399879735,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795399879789,"type":"suppressed","since_ms":1795399879735,"until_ms":1797991879735,"refusals":[{"at_ms":1795399879735,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795399879797,"type":"suppressed","since_ms":1795399879735,"until_ms":1797991879735,"refusals":[{"at_ms":1795399879735,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795399879809,"type":"suppressed","since_ms":1795399879735,"until_ms":1797991879735,"refusals":[{"at_ms":1795399879735,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795399879841,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795399879999,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795399880165,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795403102488}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795399880059,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:45293"}],"next_attempt_at_ms":1795403535634}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795399880236,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdr8-19b9dc8919c6"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795399880236,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdr8-19b9dc8919c6"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P75A-gsZNZul1k4Fd7fV6eU',1795399879480);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20780,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"*.customers.example","window":2.1666666666666665,"threshold":1.5},{"name":"*.later.example","window":2.5,"threshold":2.5}],"addresses":[{"address":"127.0.0.2","port":45293,"failures":1,"sinceMs":1795399880058,"probeAtMs":1795399881058,"error":"connect ECONNREFUSED 127.0.0.2:45293"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795399879735,'[{"at_ms":1795399879735,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_JelPBMlNdag4yxtv',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_JelPBMlNdag4yxtv','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795399879201);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Messages to shop.example are sent to mail.shop.example.',1795399879201);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example authorizes 127.0.0.1.',1795399879201);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at pr7410ed58._domainkey.shop.example.',1795399879201);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795399879201);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_bnWXk5AoXinT9kHV','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1UHRt8PwssPYcsISmKsYUWLNIw529KiorYKkZ0P05+OFAivITE7Gve9FxDW3lWqUXmJdje8mxQ52T/532r/lc+Tk/ekXzfnjRXZd3gPQbzbR67i0tixOoM1RPmqYioA9HyGFvu85bBhAY34HFrzg6JaBI3/3ra0p0YJ2fXnv4WHJYkLl0P4Rqzapyk4lbSV4jkB/0Y8yi7dwiAYKNcCgc7HzgnG7hZMYFdm6GleOnyFIhk8HWpmgI3jjJlVEmfXYj6Prov878eyASV08V9NGtilabhUd1dlMNUgb4LlOUo5yANNXLyb239UPm9bpAxmhy/PpVrwXCavqzA5iEZ2UowIDAQAB',X'6BEB9DE54827FD487CDBF543A679064E832BF06B8B13AF5424C783F11DF72E101A61127CEBEB5791D48DDBADF28A5FCBF57848542664AAD45282116DD5CE0E73B3EC14490132CFA005C230251F66F4324C14EC0FD4BF89D8095379986483248DE8F8EDC4D77A63B4A8D2718748702837CF32E3B8651DAE19305FAE022873022714B2828E971BF73C4902F22AE56E5EFAB7C403FC2058B4FACE7B6B039E4DDF672A5625FB6498C4F3AA349974401614D170454A669BEB38E1B701685ED47EA9FA6ADDDCF95C36E9B103A116D2BFB1944CCBD00615DC5DBE2304BD336FD8AA3FBA1832324EA7241964935AA5102B5D45EC8F6D2A242D7127B069E161D09A521E2073BE4D9EECA756A6853A9B796E499A485BBC39B0C6B8E7BD93E938BCEE3906722746DAA26A1BCF5D80518539A5B0AEFBE6C4FA0D5632FFDC4D5341D8399ECB9A5692284A67C47C636DAA1EE684135E7BDB89D5DB7BE90EBF346B9F976DD7044F3E3B4CC028E3FF1A0E82A923CB4EF58B5C7425CC114474D9EE739F5BE4D522E9B41FEAC99CAC76B7F334832981A75C989E6F12CB411EADEF049A919C73EDC382C3E59415F97EB7A59F535004C4AEBC3994F66596EC6FA8232E335315427C405B865652E7C238632ADEAB51B7D1CAB0FBC7F089493A52AA8791BB580B2BD34E9010EC47B171BFF805B15F9899D59DA05A1F30AE3D84D372B4BD945D620289D73F2F7EA6A70234CC44CEF5CAF35A698A9D68F8CE8ABBFEFD23351F2DC5EF6FB8741F1249A6965D1E5678C0259133DA3154D4C8C5117EBBD6898EFF1BBA478D4D810C141F1F85AAA3C1E4690934BF87C2DA98FB75038E37FC2FFDB321B855F37AE637EA65A2636F327282D3D304EA9A61D70C818A3323CDDBF700C7C94C4945308E336F9F21CF4672BC1E68549EC2FDFA799D76F12053986A6F1B2A27629962D7FE3D8791BA9C2B9C2D1A80C0E76619659CC938647001B1C68FAA8B1DE1C54C4EB05D2947734DAD1924EB71BB0065D98EC62E9626E02D012AEDE5CD25A189CF1FD857DB28E93C726011E296A78E9425EE884B9EC120D849A5FC7A8508D9E040356B0AEACF5ADC364AEA5A22736BCEFA5A9FB0BB37AF235A45E6AAD2BAF5EFC6EF7E304FCD051482D755016EBDF535B966EE46F37CFDB77151C6ADDA6ECCA6FD5A68610DBC25F0E7DB4C44FC99324CB13A50B01AEFC60E3FC43158EEFB516C4EFDA714065490B34E8939041F3B8B4C6C6578462B8A6F3A1E9B3AF24B6477BB85C6C740F545BDED131DAF87CC954C173B256624CCDC24C6478990CB6B30CA3F995ABF67061A4FC2A38FEE0F534793A79999802A63C89B885A5637CCEDDA130A88B4F6F83263B7B2378DC8B4F212F3A8C53D30C42D48A85146EC59B73A7B354FB48669E4169654E8FABEE85FC3C28338B5FAFFD4382E645C9D2B89621B193F3C6E36721F8029DBBC5061E43BC6C78B17B92300D862C3D4953091669158E14460991BE3800DC430A9CEADF7DB8D45295D0540F4D0C322FF58236E50343040F7ED99D489639F58A25C9B4812D9CF6C8A3EBDAF2914AD08891E13DC7A37BBB6EE8A2EAB41E228939C38F253F3C9A369E68797C9E8F1A2D020EF08FAE8CECEF721C32C0E805D7D98F204A4069F7AD9C90BD996CC3218CA6012D7DB0BF33C222B7C657A583C7AEA8D2557C97BFE50AB0A706FF70D6D6FA31CE31FEB1110A6A483C35A349ACE6114BD9A3954AE89F660BA2D0A72E146BC78EC2CD7B67538550725BE1DCA19A2BCD150061F346C009E239BF2A79C079BEFC0A355E8D76A7BBEB195394680DF79C979017125A2013855B0243DFEF0E43074FF5142E044F9C7ED8B8C574FE077B9BA1835F37457F2CABDBCF4CD0903F467CDDBCE22F228FDBE44F07D2116217CF7EC6A0C0F0BC3DFFBD6418AE7A3DC91EEA2D80DE4BE513B75E6D6BA77A8073B1CB67A46FF759E73F06AC44A17CC0621312209A499E2CB97230D16E26464D9508C14379442ED1259A6107BE396627065FD613615123761CD902377FFE9D2B4BEC589468E5BE912C6D50AEFF12F0BFA159EED364BC8F01ED9ACCE0296CB6E46A2F7533F40A1561B069027548C016BDE4457A8D0C64329B58F2FA1BD87CDF4A64D8DE8C77FE96B962CD09A11A945AC3D34C7D32A3ABBFD8E26BFF1E8CAFB1CE5342DAB1DA5814768D343B92ABD6BD5F42A451842B008F8197ED1BC306FC91FC234D375972DE561D66C1B5873B7E7722FA3F968DC8A7ED3E1AB0E1E65B5A3DEBCFFB46B04E8E9DD746172C4177DAF4C3249A0A57CB86F55B0FCC011CF644642F64E63799ACA5DB9C9888DC733A669F92243856361B8104F83B5E11D0EB660E774825B57220CDC4D7539FE825E3BE6F13AA00EE78CF8C1BE5F8D54E63FEA84A1620640F75179E49093ED1507A1A5376EEE49FFB8050B2CB699A1C67E08DA82ADBE71BA76BA4EF2',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795399860000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795399800000,16,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795399800000,30,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
INSERT INTO content_parts (number, content, crc32) VALUES (1025,X'00',0);
INSERT INTO content_parts (number, content, crc32) VALUES (1026,X'00',0);
INSERT INTO staged (tail) VALUES (1);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',1,'evt_3-tA2ke1IDmGlI7w',0,1,1795399879201,'domain.verified','"shop.example"');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',2,'evt_IA8PsCOZ0BQ6sdsK',1,1,1795399879480,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',3,'evt_N_QDYkUnfYpAHFlY',1,2,1795399879695,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdby-49d77bdbcdf9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',4,'evt_CT5rnZ3kXbL6tUJA',1,3,1795399879695,'recipient.failed','{"email":"5xx-550@customers.example","result":"failed","reason":"recipient_refused","category":"other","attempts":1,"smtp":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',5,'evt_3t684cI0Ar6oLgQf',2,1,1795399879717,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',6,'evt__euKHsvNGcu1fAbp',2,2,1795399879735,'recipient.failed','{"email":"nobody@customers.example","result":"failed","reason":"recipient_refused","category":"bad_address","attempts":1,"smtp":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',7,'evt_85RYPcMmbLPpCdYE',3,1,1795399879789,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',8,'evt_rXy9u2AHonJEdmKe',3,2,1795399879789,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',9,'evt_kUSJiOriWa-LfcAr',4,1,1795399879797,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',10,'evt__ca6Q9kdsQPInYFc',4,2,1795399879797,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',11,'evt_vmI4upAWkGv6-qkm',5,1,1795399879809,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',12,'evt_LFBSqiIS9LCMyW_p',5,2,1795399879809,'recipient.suppressed','{"email":"nobody@customers.example","result":"failed","reason":"suppressed","category":"bad_address","attempts":0,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',13,'evt_Cf_ek8mFz_XXdSNn',6,1,1795399879818,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',14,'evt_xXfMhRqvqFHuOQd9',6,2,1795399879841,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',15,'evt_j-NkIyUfg87trwsK',7,1,1795399879881,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',16,'evt_v7toIueBJjknEO5l',7,2,1795399879999,'recipient.unknown','{"email":"drop-after-dot@customers.example","result":"unknown","reason":"connection_lost_after_final_dot","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',17,'evt_2AwO1lPWD8V-47ci',8,1,1795399880049,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',18,'evt_i9jctFsr3Q85VohC',8,2,1795399880059,'recipient.deferred','{"email":"waiting@later.example","result":"pending","reason":"connection_failed","category":"network","attempts":1,"smtp":null}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',19,'evt_NBeuk-E_Z94epyha',8,3,1795399880165,'recipient.deferred','{"email":"4xx-451@customers.example","result":"pending","reason":"temporarily_refused","category":"other","attempts":1,"smtp":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',20,'evt_RsumUxWRoWMuV9U9',9,1,1795399880217,'message.accepted',NULL);
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',21,'evt_qJWGYzPB9w0WVnIO',9,2,1795399880236,'recipient.delivered','{"email":"delivered@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdr8-19b9dc8919c6","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail) VALUES ('acc_default',22,'evt_w6eP6jQ8EHKe6V1b',9,3,1795399880236,'recipient.delivered','{"email":"copy@customers.example","result":"delivered","reason":null,"category":null,"attempts":1,"smtp":{"code":250,"enhanced_code":"2.0.0","message":"Stored as mwsmqdr8-19b9dc8919c6","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}}');
INSERT INTO outbox_pruned (account_id, number) VALUES ('acc_second',7);
INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, former_sealed_secret, former_until_ms, paused_at_ms, disabled_at_ms, disabled_reason, notified_at_ms, failing_since_ms, position, version) VALUES ('end_fixture','acc_default','https://hooks.example/','["recipient.failed"]',NULL,NULL,1790000000000,X'A36E5669C2276BF702A480E6EC8E16B5811D20A66C0A88027AF5EC206C74A515C1B61E2FF341AEE18DABBF3FC984040EE2B8EC21BE0595E7A8534F896D05A6BB7CBB',NULL,NULL,1790000001000,NULL,NULL,NULL,NULL,22,2);
INSERT INTO endpoint_retries (endpoint_id, seq, next_number, last_number, attempts, next_attempt_at_ms) VALUES ('end_fixture',1,2,4,1,1790000060000);
INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms, duration_ms, attempt, result, status, next_attempt_at_ms, error, response) VALUES ('end_fixture',1,2,'evt_IA8PsCOZ0BQ6sdsK','message.accepted','msg_-P75A-gsZNZul1k4Fd7fV6eU',1790000000000,12,1,'deferred',500,1790000060000,NULL,'an error');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (1,'acc_default',0,1,'req_PtZ1hnGgg_nlCCLn',1795399879503,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,25,'msg_-P75A-gsZNZul1k4Fd7fV6eU');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (2,'acc_default',0,2,'req_9QSVvb_LYaZ_Ifcj',1795399879533,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-gsZNZul1k4Fd7fV6eU',200,NULL,5,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (3,'acc_default',0,3,'req_SOWhxNjehwDjfaRA',1795399879592,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-gsZNZul1k4Fd7fV6eU',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (4,'acc_default',0,4,'req_kgeULs7kirEDi4ob',1795399879648,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-gsZNZul1k4Fd7fV6eU',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (5,'acc_default',0,5,'req_WahAqtLvsSsywGcV',1795399879714,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-gsZNZul1k4Fd7fV6eU',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (6,'acc_default',0,6,'req_PhXJFa1Qlc6hqvyr',1795399879723,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,7,'msg_-P75A-k_HphjOhmjZF_sH7m2');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (7,'acc_default',0,7,'req_IsAmuY24acyKM7rG',1795399879726,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-k_HphjOhmjZF_sH7m2',200,NULL,2,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (8,'acc_default',0,8,'req_tB7PnyqfBIt6DBH3',1795399879786,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-k_HphjOhmjZF_sH7m2',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (9,'acc_default',0,9,'req_jG-eeqFQoVFaS1nc',1795399879792,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,3,'msg_-P75A-lhw93aDNnw_1sOtZYI');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (10,'acc_default',0,10,'req_cDe-Lt7mouwdMeHD',1795399879795,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-lhw93aDNnw_1sOtZYI',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (11,'acc_default',0,11,'req_XpMxC1HUyc5_MZfR',1795399879803,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,6,'msg_-P75A-lpseZ8z_It7gP1rn3b');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (12,'acc_default',0,12,'req_CUTYhH19OwWY5XM4',1795399879805,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-lpseZ8z_It7gP1rn3b',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (13,'acc_default',0,13,'req_phXtQIr0ucI8DTd_',1795399879814,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,5,'msg_-P75A-m0NkOIiZlflJXbKlGF');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (14,'acc_default',0,14,'req_DxjMQO5i16ZIzakT',1795399879816,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-m0NkOIiZlflJXbKlGF',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (15,'acc_default',0,15,'req_6A8t6eQ72iw0NB6K',1795399879823,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,5,'msg_-P75A-m9IKpRQtC0Q4bvfa68');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (16,'acc_default',0,16,'req_xRs0D5nK11syeVqq',1795399879825,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-m9IKpRQtC0Q4bvfa68',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (17,'acc_default',0,17,'req_ZIrBJX9Rql25cz02',1795399879878,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-m9IKpRQtC0Q4bvfa68',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (18,'acc_default',0,18,'req_v3Xzlsa9LbDM84G8',1795399879884,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,3,'msg_-P75A-n8HzYmCeHkQCpEA-rB');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (19,'acc_default',0,19,'req_-WRZT2phuLw9QTIQ',1795399879885,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-n8HzYmCeHkQCpEA-rB',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (20,'acc_default',0,20,'req_aQ4RRVNyKcs6b9WO',1795399879938,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-n8HzYmCeHkQCpEA-rB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (21,'acc_default',0,21,'req_24mLZokx3XIjRz5b',1795399879991,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-n8HzYmCeHkQCpEA-rB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (22,'acc_default',0,22,'req_CidvRUJTRmnd68cP',1795399880045,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-n8HzYmCeHkQCpEA-rB',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (23,'acc_default',0,23,'req_8Gsv6IOD-YM5DmmR',1795399880052,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,4,'msg_-P75A-plN6Kcvi9COwhy_P5d');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (24,'acc_default',0,24,'req_QILYlMJzUxpCrpq1',1795399880055,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-plN6Kcvi9COwhy_P5d',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (25,'acc_default',0,25,'req_2cYBiHfVxr_EJLC7',1795399880108,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-plN6Kcvi9COwhy_P5d',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (26,'acc_default',0,26,'req_yw8tyfk5odmZiD13',1795399880161,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-plN6Kcvi9COwhy_P5d',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (27,'acc_default',0,27,'req_a0xRjvkpFJHi49JY',1795399880215,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-plN6Kcvi9COwhy_P5d',200,NULL,1,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (28,'acc_default',0,28,'req_eM8vX9LB5lzPtQCM',1795399880224,'key_mr_2uZcPNU5wXeSj','POST','/api/sending/send',202,NULL,7,'msg_-P75A-sOe8TzFx3Z4YeC6CRS');
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (29,'acc_default',0,29,'req_XS-ECdTxdKHmMVq9',1795399880227,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-sOe8TzFx3Z4YeC6CRS',200,NULL,0,NULL);
INSERT INTO requests (number, account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id) VALUES (30,'acc_default',0,30,'req_qkEtR9zvXfhvxX0d',1795399880280,'key_mr_2uZcPNU5wXeSj','GET','/api/sending/messages/msg_-P75A-sOe8TzFx3Z4YeC6CRS',200,NULL,1,NULL);
PRAGMA user_version = 12;
