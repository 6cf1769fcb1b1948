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
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795343566040,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_G1mxsLcVTDWshs4l','ann@shop.example','acc_default','scrypt$65536$8$1$NwpWhDhikOAfb7yKgOxW0A==$mbb7OTzF8XuiEQJru5bE5nMPv46DTJhNcJSxICj4kOs=',1,1795343566708,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_N436v3x-QrEeImQG','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795343568290,1795343571438,NULL,9);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_rERiIW8oz0zlPOu3','acc_default','shop.example','lXWYc3Ru3DpgLbNTga5Ul986NG65Wni0',1795343566874,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=lXWYc3Ru3DpgLbNTga5Ul986NG65Wni0","found":["postrider-verification=lXWYc3Ru3DpgLbNTga5Ul986NG65Wni0"],"checkedAtMs":1795343566874,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795343566874,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795343566874,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr31971b0a._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2Q8EHIEVKuRjjfAWMskxmcpBzPHEPonRA4WK30dZeoZBTFBgMRdGD3OkaRnpuIa3qlv+RQX+D2acCdRfeG6aCUjeNmoCbnviLHqw+BDVVl0Pjfoz4UGUfnt966jO3m2JdyNO+k5FDtNFVdXE0Yc2J/jt1/UpM33IwCSKiKMWUfADsyS4KVD9dsNffTuLguzEgyc1ASaRqfPTk9lm3lVwUldz9j+uithn8634xVr/Hj3NEy07ZT7eN22U6vJl3Y9mgU6iQwMkFU8JDUdXbOId5dF8taIutZGMjhx6a/AjanSSR1xVKJGxCkkB9ugxD+9fUo5LWRV4HmRsVlLFaU9zBQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2Q8EHIEVKuRjjfAWMskxmcpBzPHEPonRA4WK30dZeoZBTFBgMRdGD3OkaRnpuIa3qlv+RQX+D2acCdRfeG6aCUjeNmoCbnviLHqw+BDVVl0Pjfoz4UGUfnt966jO3m2JdyNO+k5FDtNFVdXE0Yc2J/jt1/UpM33IwCSKiKMWUfADsyS4KVD9dsNffTuLguzEgyc1ASaRqfPTk9lm3lVwUldz9j+uithn8634xVr/Hj3NEy07ZT7eN22U6vJl3Y9mgU6iQwMkFU8JDUdXbOId5dF8taIutZGMjhx6a/AjanSSR1xVKJGxCkkB9ugxD+9fUo5LWRV4HmRsVlLFaU9zBQIDAQAB"],"checkedAtMs":1795343566874,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795343566874,"standing":true,"failedSinceMs":null}}',1795429966874,'pr31971b0a','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2Q8EHIEVKuRjjfAWMskxmcpBzPHEPonRA4WK30dZeoZBTFBgMRdGD3OkaRnpuIa3qlv+RQX+D2acCdRfeG6aCUjeNmoCbnviLHqw+BDVVl0Pjfoz4UGUfnt966jO3m2JdyNO+k5FDtNFVdXE0Yc2J/jt1/UpM33IwCSKiKMWUfADsyS4KVD9dsNffTuLguzEgyc1ASaRqfPTk9lm3lVwUldz9j+uithn8634xVr/Hj3NEy07ZT7eN22U6vJl3Y9mgU6iQwMkFU8JDUdXbOId5dF8taIutZGMjhx6a/AjanSSR1xVKJGxCkkB9ugxD+9fUo5LWRV4HmRsVlLFaU9zBQIDAQAB',X'EB0D784EAC09F68B35964BE4D5B5BFD4A648A2D2E414D19231A7EB98CE64DCF3B09BB5EBB209656ED4AEC01A399A21237EF24A83FF74E16B55469BECF866D145A708DE8F147B4CB37F57A613C8BDB0003F1221437908518857F70B1B4731CF0F7C5AD354B2F657298D77DE54C88D366BCDE6422131683B6BFAC8356280D22245E67E4A2B596BAA928BC436B6BCA1C61901793217B364AACFEB40993066C586B0FF46EEE50523BA0EDD3F3DAEB05D25321940A37D9B6FF16CD70017ECBB0D187F0966789C1DACE00B6D855B6A9A36E6F645B8312E2FE94C2A709A81FABBAA797360F397BCE3E5D3BACF393D22EB935AD11D8726AF14FBB742BAA2B00E16FABD6B7EC594BEC3317E6B33D93541A8821B87FC3D75EB63A2360FAAE6E1C1F6104772BDA4CA506F9FDDFB76C91D87B59DC24FD947B9B9074C432A28A7A863C101C766816690F6875164D5A9924D13F6695DCDDC5BD93B5B45C7644DE1F1AEFD3F0773C5808C6881D6A13EF7350BC72AA6FE8F248030B9222E930D97F05DB69CFFB39F39DEF67B16347B573B34FB6FCB8FBB8261D7F17639BE7DCD6A056788C3FE33DD522BDA35B48934FF8AD14103AA072B9BACD6BF7842D09DFE3F9D74C9E7771FC96FE82E110ED05D4D68062A2CE9CC6E839FF1CC49E743BB422768DB30FBF187AD6827B56D5F3D5CDD8BCAFACFF04BF83D64825FD091CF9AD5F40BB839409ED3449A47AB750EBEC2FE6F3DF79EEF4390008480EB804149200C635A3CDAF3DFF233E4735B5CB0276613BA32F0C981B7DB702094A7CCAD0616C38543C73B37A2625D94A6D398E271463E48D4F9DE42CAC6A0057F4628504BBFCE1CAB8356AA6C3E5540E2C788265E6F5EC062877DD5E11FC13921A170BFBBF8E21599DEE68DD79D3912C5AC6A70E968C4B3D7CB0DC6860CAF53DC5368EE6119F26F7BBCA3402606353BD0D12ED8A1224B3E744FB15BB2B721263BF8E7F553AECA05A3AB5455610402B96B2166311A779E37345C67856CE98EF8613F072866E2C73B051E5787279C16B8FBD2FBD61E73DB66A1564E9DB356137878D5E19D3E7DF07A21CF06525F16BD59BC2740383C1E342B45D1E04061F5E261A189C80817BEFEEB42EF047F4FEF2BF19863C130D33432F6C6B54E3FF9FCF7ED4E857D8FADA04856CBB66D5989553A940F6442EC726591B709D7A5B559506876FA31D1435D802E87D107F25BFC2E1B0DF08A2B0616B4954C3902FF6BFA5385A7E7E3E7AAF3E26D012C88F106352B43526B04E3BA0672172E5A957B5FBCB8F1120EC9B19528E3E3E107A69C607ADF1C67556DD283A6A9AA10D4ED4CF9D03E9F6EC04C3911AE1B13FA986D43D0AE06961CA3CE9E023C8C79B6A4FF9D50CF5824F81FB58C6C76EBD2D36E928DB7C485013ECFEA0776BDC03E112CF6602B3B5B4C6BDCED4EF9C556D2549D234E1A42DB2FA19C67A53A2C0BE9A98793C81736414041853501DE534EDB7EF462C11FEE154AD667F0E355C521985BC045A298D48A8B1F3EC804BB81A05D6B7FA30DC6123DAC5629DC1F3F341342D8D835DA703D22FDFF1FA4B44C0452762C5A0C94AA5B7AF0A0E6FB7D94FCCF9132812A6574ADB85EC26200812580F12C7598E4D458BE6648C49C2AD4286314F7BAE24A86DB7ED65AB994409DC67146CBF5D78493999066B26FC59E4163425B5AEE11DAAA17C0467D0DB1C809B91E57EF0BE65E1E6AB8CD551A31B5A045E51F321ACA42CC5E605BB6723A6594526EE416C1CCA5111CA282EFD94748261BD4042C6582E217AFE10E527CCAB7E16A6D7D92A8A3A73BC0929CFEFCBE3AD54726BB8E4A860C7878DC1614A76A4975FC323622711978B15653E637E40C959A1C52DBDCFAECA19ECBE6B9AC81520E60A1CB00D9F28FBA6567142DBF03C3BDDC4D3B66CFF58081E987439B5D9275F742671AD8B0E021DC37A2CB84226A4413DD2C4D10C50413740B315052E659867D81277F60C0675A171A3E9187EF4359FFFF0FB2AC9B0A5241480AFABD906C3DEEE74B0ADC430FA3A93D68E303847D33C033BED6D21D77963F00EB8B5935A5D0220F9A9E6A6A6917DF557AFF1690617682DC023DFEA77C0F1B7A84A7D4164512623B2EB6AA4C72F7D1FE3A244EF16DC10221705648C978C6139036D5E73DA82F5F177FF5E4BE0A7D86259B677869CBA7E8C90510EE35D4CC5CEF791ED3FC05E16FC9924CA0C97017C2BF4163A0D9E8A1BE8D6DCBBEB76FB073E9EB1043C631F2E85623B2D02766ACA5B6C17069B657ACA6BDECFF7586D66657BFD6BD02F1B3C12AACC05B19A0D8117526EB259DBA43A91E3DB092172A1833CE127EAB981165DC42708CF92E884B60FC514A6BF092463C6EE3E3ABF377A45B395C9E817734BFFB3169300DD595074909FA2715AF22540B101136E83601FA9033BECA6ABC82187386AC10336B4DB0902AB304B27EEC8D4EE9BA');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P71oBsPKyGeUtQWkNA8SAZF','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343568410,1795343569598,1795516368410,'hello@shop.example','Settled','<F0U3zXk836eLyvUWs4kVhcQc@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P71oCDVKQqHKZynkVBClcpH','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343569824,1795343569927,1795516369824,'hello@shop.example','Hello','<hn7fn79gM_-jt9u8JECoOv7W@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P71oCIQHqPyNIjlF8Wg9-Ka','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343570139,1795343570139,1795516370139,'hello@shop.example','Hello','<tNdcgdkx43bKcdrD1sErtv6g@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P71oCJMyjxVIwT6NV0ZCEB2','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343570199,1795343570199,1795516370199,'hello@shop.example','Hello','<Yknjv6s6PXdEsVMpdhk5u1PZ@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P71oCLA0SjbKZAa5bdtOraR','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343570315,1795343570315,1795516370315,'hello@shop.example','Hello','<_I0w7Ap8gZhlf_Eksd3QcERN@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P71oCMj1Y5bp2R_DcYprec5','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343570415,1795343570525,1795516370415,'hello@shop.example','In doubt','<a2Rn-jddJ3B_dEIqc3qYLbCT@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P71oCPYGVi4-296NrTcRkjZ','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343570595,1795343570896,1795516370595,'hello@shop.example','Marked','<I-6DClxxPGuLe6BhebxVWL_p@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P71oCV6YlQq59i7-NYAkp9H','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343570951,1795343571136,1795516370951,'hello@shop.example','Waiting','<4xjRe5AqRutxZOSdctWA0aXw@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P71oCYzMmYTp2SLyDaUrAM-','acc_default','key_N436v3x-QrEeImQG','dom_rERiIW8oz0zlPOu3',1795343571199,1795343571392,1795516371199,'hello@shop.example','Extras','<6xeBx7aJV5TH21VoM0M_eE8c@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C463055337A586B383336654C7976555773346B56686351634073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3438202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C686E37666E3739674D5F2D6A743975384A45436F4F7637574073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3439202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C744E646367646B783433624B6364724431734572747636674073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C596B6E6A763673365058644573564D7064686B357531505A4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C5F49307737417038675A686C665F456B736433516345524E4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C6132526E2D6A64644A33425F64454971633371594C6243544073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C492D3644436C78785047754C6536426865627856574C5F704073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C34786A5265354171527574785A4F536463745741306158774073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C367865427837614A563554483231566F4D304D5F654538634073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362031303A33323A3531202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795343569598,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrp7fwj-d4698b5473c8","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795343569598,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795343569927,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795343570139,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795343570199,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795343570315,NULL,NULL,NULL,'bad_address');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795343570525,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795343570896,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795343571136,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,'other');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795343571056,NULL,NULL,NULL,'network');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795343571392,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrp7hin-b7221e144673","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field, category) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795343571392,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrp7hin-b7221e144673","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc',NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795343569598,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrp7fwj-d4698b5473c8"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795343569598,"type":"failed","attempt":1,"reason":"recipient_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795343569927,"type":"failed","attempt":1,"reason":"recipient_refused","category":"bad_address","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795343570139,"type":"suppressed","since_ms":1795343569927,"until_ms":1797935569927,"refusals":[{"at_ms":1795343569927,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795343570199,"type":"suppressed","since_ms":1795343569927,"until_ms":1797935569927,"refusals":[{"at_ms":1795343569927,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795343570315,"type":"suppressed","since_ms":1795343569927,"until_ms":1797935569927,"refusals":[{"at_ms":1795343569927,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795343570525,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795343570896,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","category":"network","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795343571136,"type":"deferred","attempt":1,"reason":"temporarily_refused","category":"other","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795347670007}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795343571056,"type":"deferred","attempt":1,"reason":"connection_failed","category":"network","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:41377"}],"next_attempt_at_ms":1795347752528}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795343571392,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrp7hin-b7221e144673"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795343571392,"type":"delivered","attempt":1,"reason":null,"category":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrp7hin-b7221e144673"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P71oBsPKyGeUtQWkNA8SAZF',1795343568410);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20779,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"mx.customers.example","window":3.6333333333333333,"threshold":3},{"name":"mx.later.example","window":5,"threshold":5}],"addresses":[{"address":"127.0.0.2","port":41377,"failures":1,"sinceMs":1795343571056,"probeAtMs":1795343572056,"isProbed":false,"error":"connect ECONNREFUSED 127.0.0.2:41377"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795343569927,'[{"at_ms":1795343569927,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_G1mxsLcVTDWshs4l',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_G1mxsLcVTDWshs4l','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795343566874);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.',1795343566874);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example lets 127.0.0.1 send.',1795343566874);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at pr31971b0a._domainkey.shop.example.',1795343566874);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795343566874);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_rERiIW8oz0zlPOu3','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2Q8EHIEVKuRjjfAWMskxmcpBzPHEPonRA4WK30dZeoZBTFBgMRdGD3OkaRnpuIa3qlv+RQX+D2acCdRfeG6aCUjeNmoCbnviLHqw+BDVVl0Pjfoz4UGUfnt966jO3m2JdyNO+k5FDtNFVdXE0Yc2J/jt1/UpM33IwCSKiKMWUfADsyS4KVD9dsNffTuLguzEgyc1ASaRqfPTk9lm3lVwUldz9j+uithn8634xVr/Hj3NEy07ZT7eN22U6vJl3Y9mgU6iQwMkFU8JDUdXbOId5dF8taIutZGMjhx6a/AjanSSR1xVKJGxCkkB9ugxD+9fUo5LWRV4HmRsVlLFaU9zBQIDAQAB',X'EB0D784EAC09F68B35964BE4D5B5BFD4A648A2D2E414D19231A7EB98CE64DCF3B09BB5EBB209656ED4AEC01A399A21237EF24A83FF74E16B55469BECF866D145A708DE8F147B4CB37F57A613C8BDB0003F1221437908518857F70B1B4731CF0F7C5AD354B2F657298D77DE54C88D366BCDE6422131683B6BFAC8356280D22245E67E4A2B596BAA928BC436B6BCA1C61901793217B364AACFEB40993066C586B0FF46EEE50523BA0EDD3F3DAEB05D25321940A37D9B6FF16CD70017ECBB0D187F0966789C1DACE00B6D855B6A9A36E6F645B8312E2FE94C2A709A81FABBAA797360F397BCE3E5D3BACF393D22EB935AD11D8726AF14FBB742BAA2B00E16FABD6B7EC594BEC3317E6B33D93541A8821B87FC3D75EB63A2360FAAE6E1C1F6104772BDA4CA506F9FDDFB76C91D87B59DC24FD947B9B9074C432A28A7A863C101C766816690F6875164D5A9924D13F6695DCDDC5BD93B5B45C7644DE1F1AEFD3F0773C5808C6881D6A13EF7350BC72AA6FE8F248030B9222E930D97F05DB69CFFB39F39DEF67B16347B573B34FB6FCB8FBB8261D7F17639BE7DCD6A056788C3FE33DD522BDA35B48934FF8AD14103AA072B9BACD6BF7842D09DFE3F9D74C9E7771FC96FE82E110ED05D4D68062A2CE9CC6E839FF1CC49E743BB422768DB30FBF187AD6827B56D5F3D5CDD8BCAFACFF04BF83D64825FD091CF9AD5F40BB839409ED3449A47AB750EBEC2FE6F3DF79EEF4390008480EB804149200C635A3CDAF3DFF233E4735B5CB0276613BA32F0C981B7DB702094A7CCAD0616C38543C73B37A2625D94A6D398E271463E48D4F9DE42CAC6A0057F4628504BBFCE1CAB8356AA6C3E5540E2C788265E6F5EC062877DD5E11FC13921A170BFBBF8E21599DEE68DD79D3912C5AC6A70E968C4B3D7CB0DC6860CAF53DC5368EE6119F26F7BBCA3402606353BD0D12ED8A1224B3E744FB15BB2B721263BF8E7F553AECA05A3AB5455610402B96B2166311A779E37345C67856CE98EF8613F072866E2C73B051E5787279C16B8FBD2FBD61E73DB66A1564E9DB356137878D5E19D3E7DF07A21CF06525F16BD59BC2740383C1E342B45D1E04061F5E261A189C80817BEFEEB42EF047F4FEF2BF19863C130D33432F6C6B54E3FF9FCF7ED4E857D8FADA04856CBB66D5989553A940F6442EC726591B709D7A5B559506876FA31D1435D802E87D107F25BFC2E1B0DF08A2B0616B4954C3902FF6BFA5385A7E7E3E7AAF3E26D012C88F106352B43526B04E3BA0672172E5A957B5FBCB8F1120EC9B19528E3E3E107A69C607ADF1C67556DD283A6A9AA10D4ED4CF9D03E9F6EC04C3911AE1B13FA986D43D0AE06961CA3CE9E023C8C79B6A4FF9D50CF5824F81FB58C6C76EBD2D36E928DB7C485013ECFEA0776BDC03E112CF6602B3B5B4C6BDCED4EF9C556D2549D234E1A42DB2FA19C67A53A2C0BE9A98793C81736414041853501DE534EDB7EF462C11FEE154AD667F0E355C521985BC045A298D48A8B1F3EC804BB81A05D6B7FA30DC6123DAC5629DC1F3F341342D8D835DA703D22FDFF1FA4B44C0452762C5A0C94AA5B7AF0A0E6FB7D94FCCF9132812A6574ADB85EC26200812580F12C7598E4D458BE6648C49C2AD4286314F7BAE24A86DB7ED65AB994409DC67146CBF5D78493999066B26FC59E4163425B5AEE11DAAA17C0467D0DB1C809B91E57EF0BE65E1E6AB8CD551A31B5A045E51F321ACA42CC5E605BB6723A6594526EE416C1CCA5111CA282EFD94748261BD4042C6582E217AFE10E527CCAB7E16A6D7D92A8A3A73BC0929CFEFCBE3AD54726BB8E4A860C7878DC1614A76A4975FC323622711978B15653E637E40C959A1C52DBDCFAECA19ECBE6B9AC81520E60A1CB00D9F28FBA6567142DBF03C3BDDC4D3B66CFF58081E987439B5D9275F742671AD8B0E021DC37A2CB84226A4413DD2C4D10C50413740B315052E659867D81277F60C0675A171A3E9187EF4359FFFF0FB2AC9B0A5241480AFABD906C3DEEE74B0ADC430FA3A93D68E303847D33C033BED6D21D77963F00EB8B5935A5D0220F9A9E6A6A6917DF557AFF1690617682DC023DFEA77C0F1B7A84A7D4164512623B2EB6AA4C72F7D1FE3A244EF16DC10221705648C978C6139036D5E73DA82F5F177FF5E4BE0A7D86259B677869CBA7E8C90510EE35D4CC5CEF791ED3FC05E16FC9924CA0C97017C2BF4163A0D9E8A1BE8D6DCBBEB76FB073E9EB1043C631F2E85623B2D02766ACA5B6C17069B657ACA6BDECFF7586D66657BFD6BD02F1B3C12AACC05B19A0D8117526EB259DBA43A91E3DB092172A1833CE127EAB981165DC42708CF92E884B60FC514A6BF092463C6EE3E3ABF377A45B395C9E817734BFFB3169300DD595074909FA2715AF22540B101136E83601FA9033BECA6ABC82187386AC10336B4DB0902AB304B27EEC8D4EE9BA',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795343520000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795343400000,30,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795343400000,40,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
PRAGMA user_version = 9;
