-- A spool of schema 9, made by the code that had it.
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
  , crc32 INTEGER) STRICT;
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
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795344440754,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_E6Ymo83IXUpSdd-G','ann@shop.example','acc_default','scrypt$65536$8$1$2HiBACHUt+dkRk8hCpoZ4w==$/uQVkfx2zGwXAs2KJqB/e/HFm4sDBhpVJ0JqH89IO7I=',1,1795344441119,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_mAhrPu4FA2SWunBu','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795344441417,1795344442586,NULL,9);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_D00pXRgbb0kVIyEt','acc_default','shop.example','iYiKuKwdlTrIqhwzXa-cyB7QNx3bTVc1',1795344441165,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=iYiKuKwdlTrIqhwzXa-cyB7QNx3bTVc1","found":["postrider-verification=iYiKuKwdlTrIqhwzXa-cyB7QNx3bTVc1"],"checkedAtMs":1795344441165,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795344441165,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795344441165,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at prcc704560._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxa2jSQOAaZ3gfQjF3sfAYmAc1786zIPyp/5CowTr496whEpVuY8buDHFHGCs1g36coa13MKJS2olPjtXSJi6D2ib4pN1bNKHD2rG87t98K740TUZ29LZULHSPwx/mRRCgotkkvjTkRTPflO+yfouMCFlPibRsYH+2b8KPiWHBHjWLa/n+69vLKEsBkidrkEey7SjfMkWAGljeVXSjA54jVm4KqkHZzbF88icoS2hoSGvBnRnIyrpPCs+q4tPImNf0/uTjMNZXeXOAiGKXxFT7culHjJxpzaR1HlHSiH0EFNfkUYd0dhWmx8UiLIrgwXsEYmUNYMdgCvydOQM/Z0jswIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxa2jSQOAaZ3gfQjF3sfAYmAc1786zIPyp/5CowTr496whEpVuY8buDHFHGCs1g36coa13MKJS2olPjtXSJi6D2ib4pN1bNKHD2rG87t98K740TUZ29LZULHSPwx/mRRCgotkkvjTkRTPflO+yfouMCFlPibRsYH+2b8KPiWHBHjWLa/n+69vLKEsBkidrkEey7SjfMkWAGljeVXSjA54jVm4KqkHZzbF88icoS2hoSGvBnRnIyrpPCs+q4tPImNf0/uTjMNZXeXOAiGKXxFT7culHjJxpzaR1HlHSiH0EFNfkUYd0dhWmx8UiLIrgwXsEYmUNYMdgCvydOQM/Z0jswIDAQAB"],"checkedAtMs":1795344441165,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795344441165,"standing":true,"failedSinceMs":null}}',1795430841165,'prcc704560','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxa2jSQOAaZ3gfQjF3sfAYmAc1786zIPyp/5CowTr496whEpVuY8buDHFHGCs1g36coa13MKJS2olPjtXSJi6D2ib4pN1bNKHD2rG87t98K740TUZ29LZULHSPwx/mRRCgotkkvjTkRTPflO+yfouMCFlPibRsYH+2b8KPiWHBHjWLa/n+69vLKEsBkidrkEey7SjfMkWAGljeVXSjA54jVm4KqkHZzbF88icoS2hoSGvBnRnIyrpPCs+q4tPImNf0/uTjMNZXeXOAiGKXxFT7culHjJxpzaR1HlHSiH0EFNfkUYd0dhWmx8UiLIrgwXsEYmUNYMdgCvydOQM/Z0jswIDAQAB',X'A2E92858E4DF8BAEFD2358AEB585EB01809BECC7D8318F3BB4C7763A46821AFCF7F7A805873E5B0718C0332CC5DAECF7937D21FDF77E8C136C60CC7357AF90E1D3B5E23443FAE84D8134CD60AB92FF274E9DB1B33C2F054AA0CEB91C93B46BF96959BF3F251148176EE9672A53207EF2B44182AB8BAEFA95DBA011745DDE27B1D5323C93C6C986D831091DF730CFB44C1894C0109761039A764EE4B059F1F40AF50124E5C2552CBA1E674367A871BC6A59F3DD3003D3F3EB4E1502173AA88EDB66D2BD6B8AC0A12D8F1C7B435CA687FF5E8BBA4C5739EFF315B11B3C9C7BFE4A6BC97689FF1BE422F19D3782F6C4C2D06E4E744BCC4E1E14B4037DE619254042050BACB760A7670F29BF2930DA97BE6103923691804613F20FE721CB03F20243819A8FE97FCCFCBD197164BF377744308E205F9E8D74B6571242CFCDCEA545928701D201DF8BDDA68B7D230EA2F11BF76953CFC7FBC86D414BD411D81FB7F0C955C3E81FA2B968C0D604BE28C0831B634ADFF046C2D2628D9F41761F1BD5BD276A207CB56B2702C576FAB84B177EBDA7188AAB561849C8243D2845CB5143EDE87BBD6525015AD1BEAAA8194BF1C322722C98C105CD8AA91DBEE6929F34E4CCC6231900E2680C2A21325931D375F9862E17E5E8397F745695667FB4F7D3A4B9EA4E98982B6C3967AA67235D05D0A377924CD039BB19E64B85AC32A897B7D4C5AA1C2D9D08492C4BBC6D132C0D8B21B9737A171E5F2933D7911745A4D6189EFDEE9D490E24BCBB943AC8B4C13E85068F6F6FA20E113340BE7A4225C106CFC1101746B78A5331CEB5138CFBD432920B02C00A74228D9656238C1DC5051EE41F6CA3A9819F9E00122815FA941872FBFE7BEA82C15B9AE2CADDE372D7A08A9F25B677E0C4BDF7C4F00DE08BC7559993F78E2BCBCC742771F60B88469FA5C256FBA932234492647089CC3561447EE421DCD4CE646657B235D8973618FD547905DBEE8B45CAAADF5D480BC3029AFB5D9E5EFD8AFE31F169CCAE8C253F7D6FE1C5EAF8872A1615480AE44042223E2471249036441EFF0497D254FBEF7F2FDFD27E6E3778C094C9C47D8D50B4A3C9881A44EB2C6B6C66B5536681A22B21190D7332379F9D40052BFC73BF9680624F05048613033CA0F8A1D79C7AF6970A2D122A794B7DE7345DCA84CD061CAAA29C528963D4C3A76F784B51D7A203158F6D7A2615F4B9F9AD2F8E7E57E619DC36132CBEF8D65E6F42509DB48518BBF4E0A6555A2A52CD2A52BBB2F996E0AD9A6EB78894C64FC78CF99D1C37F8B254E23E4BD74615D9BB8E408605ABE86B9A8AF5444360EE4A63FFA49D5C3F6C565D4F5E1C8874BF7D9DCF2B59641F99C76A9EA6A7B7342E797A929DB5BEDF5D2B71029BC8CD65145678D9BE692AB6185BAAB174FAE394DC664E2C85931A6CE4DA95C3EA1453D4C5BC3959E559E3E5BC1EE6E2D777D5CE2EF43BB76D5C8D4B270A66D9F7D9404896DF8F66A9C6AE1AE341D2CF7528658717F46FD92587C4E82C187B523A687C98B51E8309661FE59FE5E14B37371DD59F98F7F296095F1672548E432434818E846C8FE96A95C8D624031B111D98BDA8429E83B31832ADC77671F9B805C3B5CE34F8B35FD77293C23090B7E4DCD6E3E831F270D2395C64B994AA69528EBD37CA8D71E6E12CF8322AC2CD9C4DB1CA1AA534E80D4D28F930BBB9F6B90C701AC50F7BD6470472EBB0F6CCE410EED3162E036A484873FE965C1531C2149B1483450FEFED84D34410AB1BB73EA3F38DF905529F9323B0109429FF58D229155B6132699B491F791C8A69F584EDBE0C2F288051DF656A10B85166999747FDAF7FE2737425A709601FD1505FEFBD84D70D25B03E4643ADC1B3CD00036A557D828B817F48453D84EEDDE044E12D514C1C6301D3A3AACF58B78A5362AFD3555454302842D1C01545D2D84C14F62094610832F4EBE07983FC26418A44ED94063D864D3EB171E284C58306DDF6DAD3BFC16C8CAF24F3080F3FDC7DC854FF8B30568A198D5C7A1C34AAD1E510FA3C0BB6E7CD89F7E5F44AAEE814E6BC17451327C6F76BBB7CD2AE32C2CB2E20D5000CF04C6E60A058432BADD3B545D275D0474F20846D3442A12EB64A4BAD7BADE71C364D3E43DEE478D7A690C68D0C79286EDD61534C3965F65E7F2AD433493F32E6123117A772649ADFD7A81BFC4F2DD7C539DC8FC00EA452BF8F99DE258D5D253558F4D9EC7E0BC119105DCFDFB2B08780D6772C90864517C41460FAAD1016A5B18D6222B36AE2C2EDB35818ED1F37ECA714425FFA891F6482AFB4D0A7250CA20BDF320AC3826D8A2FA930151EDCDBCA6986F98A50DBC00E7FBE22016D5D56FA65A00472197BC554E0AD8C3AF039724009649CD5C0CBF7B041C34D78E75D87D8F7B9FC1081F6E565ECAA957BCA5CC00655A90483B04EA0D6AF62BAAF210D79E6E9');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P71rX0lyT2tFSLbcgP-vhst','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344441457,1795344441851,1795517241457,'hello@shop.example','Settled','<IX8d-0Z1MYzUH-WK_GmmhtP0@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P71rX7tLNZNOvDpPPtsyebZ','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344441913,1795344441922,1795517241913,'hello@shop.example','Hello','<xnA7RgTpUVvpjJSWRkvw8M-w@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P71rX8x-oi44iw3OyMleaFI','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344441981,1795344441991,1795517241981,'hello@shop.example','Hello','<vkI0mxBESlDMFlpDVjJpRJKM@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P71rX9wrSf962B_9ChsZ2iS','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344442044,1795344442051,1795517242044,'hello@shop.example','Hello','<d87PObYPuNrvLYbGX6C3ctDA@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P71rXAsVY4QG2OyOwlVOYLH','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344442104,1795344442104,1795517242104,'hello@shop.example','Hello','<iIIqHC_kbWO1ivmR4igLWaVl@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P71rXAyBacDRH3hKsWUUioc','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344442110,1795344442123,1795517242110,'hello@shop.example','In doubt','<2qeuuexKAYA6pE0O6Y0LL4dK@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P71rXBwuQoxOWJRjLkUXNt1','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344442172,1795344442297,1795517242172,'hello@shop.example','Marked','<XvKJGhJBX3I4_eADa8ba8xdR@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P71rXEZereDNHmQsC7LMjKY','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344442340,1795344442474,1795517242340,'hello@shop.example','Waiting','<wyWwbBnzlz3suNw6d6iSZc09@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P71rXHTU7XiBX-ei2e4Ishf','acc_default','key_mAhrPu4FA2SWunBu','dom_D00pXRgbb0kVIyEt',1795344442526,1795344442545,1795517242526,'hello@shop.example','Extras','<nIBK4BY5Z-uY-5j32RqZWMpq@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content, crc32) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C495838642D305A314D597A55482D574B5F476D6D687450304073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3231202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',3024473871);
INSERT INTO contents (seq, content, crc32) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C786E413752675470555676706A4A5357526B7677384D2D774073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3231202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1006095918);
INSERT INTO contents (seq, content, crc32) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C766B49306D784245536C444D466C7044566A4A70524A4B4D4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3231202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1608044977);
INSERT INTO contents (seq, content, crc32) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C643837504F625950754E72764C59624758364333637444414073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3232202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2591547879);
INSERT INTO contents (seq, content, crc32) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C6949497148435F6B62574F3169766D523469674C5761566C4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3232202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',165549753);
INSERT INTO contents (seq, content, crc32) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C327165757565784B415941367045304F3659304C4C34644B4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3232202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',657832383);
INSERT INTO contents (seq, content, crc32) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C58764B4A47684A42583349345F65414461386261387864524073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3232202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',1968295747);
INSERT INTO contents (seq, content, crc32) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C7779577762426E7A6C7A3373754E7736643669535A6330394073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3232202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',2322737721);
INSERT INTO contents (seq, content, crc32) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C6E49424B344259355A2D75592D356A333252715A574D70714073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A34373A3232202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A',35979205);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795344441851,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrpq56f-bb46a6090fc2","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795344441851,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795344441922,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795344441991,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795344442051,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795344442104,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795344442123,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795344442297,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795344442474,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795344442363,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795344442545,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrpq5rc-cdc60012463f","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795344442545,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrpq5rc-cdc60012463f","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc');
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795344441851,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrpq56f-bb46a6090fc2"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795344441851,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795344441922,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795344441991,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795344442051,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795344442104,"type":"suppressed","since_ms":1795344442051,"until_ms":1797936441922,"refusals":[{"at_ms":1795344441922,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795344441991,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795344442051,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795344442123,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795344442297,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795344442474,"type":"deferred","attempt":1,"reason":"temporarily_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795347699006}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795344442363,"type":"deferred","attempt":1,"reason":"connection_failed","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:34679"}],"next_attempt_at_ms":1795348690814}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795344442545,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrpq5rc-cdc60012463f"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795344442545,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrpq5rc-cdc60012463f"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P71rX0lyT2tFSLbcgP-vhst',1795344441457);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20779,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"mx.customers.example","window":4.049865229110512,"threshold":3.5},{"name":"mx.later.example","window":5,"threshold":5}],"addresses":[{"address":"127.0.0.2","port":34679,"failures":1,"sinceMs":1795344442363,"probeAtMs":1795344443363,"isProbed":false,"error":"connect ECONNREFUSED 127.0.0.2:34679"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795344442051,'[{"at_ms":1795344441922,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795344441991,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795344442051,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_E6Ymo83IXUpSdd-G',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_E6Ymo83IXUpSdd-G','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795344441165);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.',1795344441165);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example lets 127.0.0.1 send.',1795344441165);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at prcc704560._domainkey.shop.example.',1795344441165);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795344441165);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_D00pXRgbb0kVIyEt','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxa2jSQOAaZ3gfQjF3sfAYmAc1786zIPyp/5CowTr496whEpVuY8buDHFHGCs1g36coa13MKJS2olPjtXSJi6D2ib4pN1bNKHD2rG87t98K740TUZ29LZULHSPwx/mRRCgotkkvjTkRTPflO+yfouMCFlPibRsYH+2b8KPiWHBHjWLa/n+69vLKEsBkidrkEey7SjfMkWAGljeVXSjA54jVm4KqkHZzbF88icoS2hoSGvBnRnIyrpPCs+q4tPImNf0/uTjMNZXeXOAiGKXxFT7culHjJxpzaR1HlHSiH0EFNfkUYd0dhWmx8UiLIrgwXsEYmUNYMdgCvydOQM/Z0jswIDAQAB',X'A2E92858E4DF8BAEFD2358AEB585EB01809BECC7D8318F3BB4C7763A46821AFCF7F7A805873E5B0718C0332CC5DAECF7937D21FDF77E8C136C60CC7357AF90E1D3B5E23443FAE84D8134CD60AB92FF274E9DB1B33C2F054AA0CEB91C93B46BF96959BF3F251148176EE9672A53207EF2B44182AB8BAEFA95DBA011745DDE27B1D5323C93C6C986D831091DF730CFB44C1894C0109761039A764EE4B059F1F40AF50124E5C2552CBA1E674367A871BC6A59F3DD3003D3F3EB4E1502173AA88EDB66D2BD6B8AC0A12D8F1C7B435CA687FF5E8BBA4C5739EFF315B11B3C9C7BFE4A6BC97689FF1BE422F19D3782F6C4C2D06E4E744BCC4E1E14B4037DE619254042050BACB760A7670F29BF2930DA97BE6103923691804613F20FE721CB03F20243819A8FE97FCCFCBD197164BF377744308E205F9E8D74B6571242CFCDCEA545928701D201DF8BDDA68B7D230EA2F11BF76953CFC7FBC86D414BD411D81FB7F0C955C3E81FA2B968C0D604BE28C0831B634ADFF046C2D2628D9F41761F1BD5BD276A207CB56B2702C576FAB84B177EBDA7188AAB561849C8243D2845CB5143EDE87BBD6525015AD1BEAAA8194BF1C322722C98C105CD8AA91DBEE6929F34E4CCC6231900E2680C2A21325931D375F9862E17E5E8397F745695667FB4F7D3A4B9EA4E98982B6C3967AA67235D05D0A377924CD039BB19E64B85AC32A897B7D4C5AA1C2D9D08492C4BBC6D132C0D8B21B9737A171E5F2933D7911745A4D6189EFDEE9D490E24BCBB943AC8B4C13E85068F6F6FA20E113340BE7A4225C106CFC1101746B78A5331CEB5138CFBD432920B02C00A74228D9656238C1DC5051EE41F6CA3A9819F9E00122815FA941872FBFE7BEA82C15B9AE2CADDE372D7A08A9F25B677E0C4BDF7C4F00DE08BC7559993F78E2BCBCC742771F60B88469FA5C256FBA932234492647089CC3561447EE421DCD4CE646657B235D8973618FD547905DBEE8B45CAAADF5D480BC3029AFB5D9E5EFD8AFE31F169CCAE8C253F7D6FE1C5EAF8872A1615480AE44042223E2471249036441EFF0497D254FBEF7F2FDFD27E6E3778C094C9C47D8D50B4A3C9881A44EB2C6B6C66B5536681A22B21190D7332379F9D40052BFC73BF9680624F05048613033CA0F8A1D79C7AF6970A2D122A794B7DE7345DCA84CD061CAAA29C528963D4C3A76F784B51D7A203158F6D7A2615F4B9F9AD2F8E7E57E619DC36132CBEF8D65E6F42509DB48518BBF4E0A6555A2A52CD2A52BBB2F996E0AD9A6EB78894C64FC78CF99D1C37F8B254E23E4BD74615D9BB8E408605ABE86B9A8AF5444360EE4A63FFA49D5C3F6C565D4F5E1C8874BF7D9DCF2B59641F99C76A9EA6A7B7342E797A929DB5BEDF5D2B71029BC8CD65145678D9BE692AB6185BAAB174FAE394DC664E2C85931A6CE4DA95C3EA1453D4C5BC3959E559E3E5BC1EE6E2D777D5CE2EF43BB76D5C8D4B270A66D9F7D9404896DF8F66A9C6AE1AE341D2CF7528658717F46FD92587C4E82C187B523A687C98B51E8309661FE59FE5E14B37371DD59F98F7F296095F1672548E432434818E846C8FE96A95C8D624031B111D98BDA8429E83B31832ADC77671F9B805C3B5CE34F8B35FD77293C23090B7E4DCD6E3E831F270D2395C64B994AA69528EBD37CA8D71E6E12CF8322AC2CD9C4DB1CA1AA534E80D4D28F930BBB9F6B90C701AC50F7BD6470472EBB0F6CCE410EED3162E036A484873FE965C1531C2149B1483450FEFED84D34410AB1BB73EA3F38DF905529F9323B0109429FF58D229155B6132699B491F791C8A69F584EDBE0C2F288051DF656A10B85166999747FDAF7FE2737425A709601FD1505FEFBD84D70D25B03E4643ADC1B3CD00036A557D828B817F48453D84EEDDE044E12D514C1C6301D3A3AACF58B78A5362AFD3555454302842D1C01545D2D84C14F62094610832F4EBE07983FC26418A44ED94063D864D3EB171E284C58306DDF6DAD3BFC16C8CAF24F3080F3FDC7DC854FF8B30568A198D5C7A1C34AAD1E510FA3C0BB6E7CD89F7E5F44AAEE814E6BC17451327C6F76BBB7CD2AE32C2CB2E20D5000CF04C6E60A058432BADD3B545D275D0474F20846D3442A12EB64A4BAD7BADE71C364D3E43DEE478D7A690C68D0C79286EDD61534C3965F65E7F2AD433493F32E6123117A772649ADFD7A81BFC4F2DD7C539DC8FC00EA452BF8F99DE258D5D253558F4D9EC7E0BC119105DCFDFB2B08780D6772C90864517C41460FAAD1016A5B18D6222B36AE2C2EDB35818ED1F37ECA714425FFA891F6482AFB4D0A7250CA20BDF320AC3826D8A2FA930151EDCDBCA6986F98A50DBC00E7FBE22016D5D56FA65A00472197BC554E0AD8C3AF039724009649CD5C0CBF7B041C34D78E75D87D8F7B9FC1081F6E565ECAA957BCA5CC00655A90483B04EA0D6AF62BAAF210D79E6E9',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795344420000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795344000000,16,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795344000000,34,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
PRAGMA user_version = 9;
