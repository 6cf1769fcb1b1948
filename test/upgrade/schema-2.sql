-- A spool of schema 2, made by the code that had it.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    password_hash TEXT NOT NULL,
    operator INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    revoked_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;
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
  ) STRICT;
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
    mark TEXT,
    PRIMARY KEY (seq, position),
    CHECK (state IN ('pending', 'marked', 'delivered', 'failed', 'unknown')),
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
INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_default','default',1795257943365);
INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_second','second',1790000000000);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms) VALUES ('usr_n-HoKr6Ify2f4s0A','ann@shop.example','acc_default','scrypt$65536$8$1$391nAAA6ZL2Fp50LJlcYXQ==$sBP6AQUh0ocGNhwJBUoHPE6FXr1I62bSwuQl7sR2XPs=',1,1795257945309);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms) VALUES ('key_j7yjmR4ASAFzQADC','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795257946632,1795257952240,NULL);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_kYy22lEcY9kBuQcI','acc_default','shop.example','RQMpyvzjj27hURRGqKaBKBUNwHpU93vr',1795257945334,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=RQMpyvzjj27hURRGqKaBKBUNwHpU93vr","found":["postrider-verification=RQMpyvzjj27hURRGqKaBKBUNwHpU93vr"],"checkedAtMs":1795257945334,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795257945334,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795257945334,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr2d2fd926._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAj6Fp+RAX0RxZSzdL7yDHWoyFRnv/AuaZNhJXACbL5VQwihG075sf7MlyFRe/AC5XFwUrqM/oRMJwjg62UxGgUIPVAhaNpwqkyHq+5Ws5oLZFDlccVoSXcTCccsM30K4eRntwQbFIJf3Bc2/iaaMY/0h+vackAoxjHdDcdaQgquIvCLFl89eUyNrFUZ+swwBjWQ125IAe9BZO12qFryaP43XfCgm5yPmjsb41mulln2yk+e67eE5enxJJ+e+6Q1IpVEthT5VSqtKnr6czlBa6jxwQ3cfkDU2nU8yi7FyzcWwMtfa4KcsY5B7HuXu2BqB3nFTtNV0DHN5jP7BSWbGtiQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAj6Fp+RAX0RxZSzdL7yDHWoyFRnv/AuaZNhJXACbL5VQwihG075sf7MlyFRe/AC5XFwUrqM/oRMJwjg62UxGgUIPVAhaNpwqkyHq+5Ws5oLZFDlccVoSXcTCccsM30K4eRntwQbFIJf3Bc2/iaaMY/0h+vackAoxjHdDcdaQgquIvCLFl89eUyNrFUZ+swwBjWQ125IAe9BZO12qFryaP43XfCgm5yPmjsb41mulln2yk+e67eE5enxJJ+e+6Q1IpVEthT5VSqtKnr6czlBa6jxwQ3cfkDU2nU8yi7FyzcWwMtfa4KcsY5B7HuXu2BqB3nFTtNV0DHN5jP7BSWbGtiQIDAQAB"],"checkedAtMs":1795257945334,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795257945334,"standing":true,"failedSinceMs":null}}',1795344345334,'pr2d2fd926','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAj6Fp+RAX0RxZSzdL7yDHWoyFRnv/AuaZNhJXACbL5VQwihG075sf7MlyFRe/AC5XFwUrqM/oRMJwjg62UxGgUIPVAhaNpwqkyHq+5Ws5oLZFDlccVoSXcTCccsM30K4eRntwQbFIJf3Bc2/iaaMY/0h+vackAoxjHdDcdaQgquIvCLFl89eUyNrFUZ+swwBjWQ125IAe9BZO12qFryaP43XfCgm5yPmjsb41mulln2yk+e67eE5enxJJ+e+6Q1IpVEthT5VSqtKnr6czlBa6jxwQ3cfkDU2nU8yi7FyzcWwMtfa4KcsY5B7HuXu2BqB3nFTtNV0DHN5jP7BSWbGtiQIDAQAB',X'17DB313D8E61580276222A78549F64405E5BE145887DC7CBDFC747673711E1E9413A26E48E1827EBF5E07EA47F2031515450CB831455973EC00F75EB2CD03A635A8BF9BAEAAC5916167ACD478DAEB2418FF938E43A88EB7AAF05EF3618798DE1AA6C41CE4E05544D5CBE63CAE9F7741A4BEC1BA807B846534DB22679C4CFF2246036AC2CEF84D50DFF453F351F97F4B170283613B713B1A97855116DBA720FA2D69E918579F098397F666D8971FD3E35F24BC9008CF7AE9B6D56B271967CF48357DFAA68430985B39D793D352A31C74C43187F24916A2CAB6448993D27635276D7AD489F614CE19A48A9AB2DBEB57E8DE0BC48D0B76224AED8DF6F19130F5FF8CC5B959E23AAB0032CD1EC10074AC2CAC7C9870D1D8EE941377303F7BB0C6E5F9A76043EAAA1508CD932F3CD731D7BEEBA69FEAF2BD2FEB7D21998FABDB6927B185C2A9506283FC3A65C70B053A5E6A6A4104F02C2DF2848ACB72A333F8A2435A9504BF0881AA7270CB8B0DFE9A54A2DC3B57AC87D8E7E4EB4FD2D85BB7F198C72EB60768ED7409ED906FA974003069A48569EEBDCE69EA138E3787BC1954077863F09516FE1FE6421E996148E53C215595A5AA13516120660F6FD417E9CF1F534D3FF32A2AA21058DEDB2FB3C6003581161F01632DE2BBA33D5AEC2DAF78DDCD7104F893B5978493D5807428D501AEC40847350D0AD7AA2087C023998F940746B9A0628BEE442E2DD4A4B69AFE57307AEAB925CDCEA3E84F99CD2E764970EAB501BE018BC9FF48C684B936DEA7272F50C21240B64101D3CDD04F338CDA21C741832EC259BA12C4080BA23011F33EE51707272F138C59A7B33A38CA4595601B48E3DA7ED453BEDE865A1C94C6A7209DA7D4C46168564BCABC01738BD51FFFCBE7D2DCFCF18E7B0CCEDF17BF8A7EE2E416742A7307D7AAC7D8D622BA2C624132A4B09A1210901AD6C53BC2E36095A5581358F6122C22AAAB462D00D7718995AB789E49C9B79557846FB3C443692EF8B8D5A4516BF0C732CCAEA94D3A206558D5DE0C63752414AE75B66AC888D4687B18394CA6170BCBD0B3F616043E4031CF8F4925E8648E77498789CF0A0DF67524F8BA60711CCE5C79632DF99FFAC1149A35DAA5ADC1B5B5B6AA2543F45EE21B96250031D1E3AFAD670CD3530523E3F54F016431733F8A82F6A66A8730E75788F14163322C4D2F30DF7CC76D97AA27161654625F13715F8028B6CF81C2BFBF496DE9279E6F433B0FFF65BE4262F90D76FC901502941374D9E2C4246A7845E9DA78CA7249A4E012803D2C8478213929793820D40A326570D23A63CBD5363652F99A7B1C241B120B90388A4A803D4504CC9137AEDCDB669C62528DE732E963D0F63133D5F497DC0300886B20BC394F1FDCDA7D1D5CEB22184A2E58D8D7B3D1ED7C4353EB38DFD63E5F255A85565AD51E08E006DFB9F5A877DC5EA41EC09B6FAA34613AF91DE171F585697FE6656F80332F3BABB34DA448B3D2CF6FA7189C41FD92E5CC391DF895E6CCD8FD8132CE163E06707E4197CC80B59EC3502E7A2BF438628245BD988C263244219BB392D14FC65B887777CB8F0F534154F5B93253B7AF36087E689D168B7312E9E9D757B034A7AEEB1E29BBF0A3D095BCB3715F3846C83EA986597D3B019C7BC4C92A51E9FBC4F0E2AD568131B52F6B0D09600D2CF5E9CCAFDBD61E29B9D44554D69E70EA105F29C11C4806567267DA840DEA48F7644B1349012B52C242EA3DEB43BBC9C39AA6BC7E138D025582A7CA3FB362594F04CE7E9ACBBD0988EF375C4FE3E57ECF4F55578656DAF6363C7B6736F8AA6C4F5D8703D31C3D54ABEBD2D94AFDC6CD649119BBDF4F8582414009ED33573E6323387FAFD76D91E6EA98E128D542A2FBA81E0BBB3FF27D86B95598F44EDD090CEF74BA52A7B3DB18ABEADC8E8577F02702818A44D5F5B989F3F698767659A72F6D18F0FE9E3AF793E9C17D614EB1716A2ADCEB356E216316917FAFC7E07F9804278FA9746483BCF78CC5D48D9919F9CFCC0C9FCBB43A3096C5E18F796C4BCCC2BD6E0176DC29F8423406BF1CADB85FD7060C428D3CD7D74C621316AA994572996A4262E4D77006D5AD88A1567291F9EA86FA8261F926B1EDEDF4C0C9076C2948918E3713BA92109FFAE087D54038A917BB4D2A7A52FECB08DC65C2303B66843D471A439B855057037EBB322AF986ED65B43D99D11B6E1F11CD5E250918D05714DE8562BE873C4E3B55ADBACCBA712DBAD3D454AFCFE563C963A0B5B386C719C2EAAE0460C6D9E0726AFEFE28C75632F45F6335E2965031D98F9F62791C54BE1D9444620E9303635863F85DAADDBA964EA9CA966613E1E41A4B0242FCB16C18DB4B052ED9DFB8893D43406C2F782021B7DF804CCE725DD51B1644C3D0719D22ADA6818988ABCDB0423D02F8507B337EC308F85AC7471721B42FBC1');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (1,'msg_-P6xh_BNswlJQc9fZyBC2kqu','acc_default','key_j7yjmR4ASAFzQADC','dom_kYy22lEcY9kBuQcI',1795257946904,1795257949056,1795430746904,'hello@shop.example','Settled','<Z3igyCU_ZkBosGucYm_chtdn@shop.example>',310);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (2,'msg_-P6xh_kSy672cj6RpZzbZrAT','acc_default','key_j7yjmR4ASAFzQADC','dom_kYy22lEcY9kBuQcI',1795257949213,1795257949821,1795430749213,'hello@shop.example','Hello','<Qvrq2tD2BCjsO9ZMLwNj3PBC@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (3,'msg_-P6xh_wNEON7q3wMKmxwlziY','acc_default','key_j7yjmR4ASAFzQADC','dom_kYy22lEcY9kBuQcI',1795257949976,1795257950335,1795430749976,'hello@shop.example','Hello','<-Dq-oPrvo93u1i_e08tTrwU0@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (4,'msg_-P6xha2kr9_NdySFLnqgDEk6','acc_default','key_j7yjmR4ASAFzQADC','dom_kYy22lEcY9kBuQcI',1795257950448,1795257950757,1795430750448,'hello@shop.example','Hello','<77CgwR-KfmGkFKk9e1pH2sAc@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (5,'msg_-P6xha86H8O88NcBuKuOnt_l','acc_default','key_j7yjmR4ASAFzQADC','dom_kYy22lEcY9kBuQcI',1795257950791,1795257951021,1795430750791,'hello@shop.example','Hello','<BCiDZUoa07owc5K3IWsOfpWc@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (6,'msg_-P6xhaDC29tvoyhM_vpEqY4w','acc_default','key_j7yjmR4ASAFzQADC','dom_kYy22lEcY9kBuQcI',1795257951117,1795257951442,1795430751117,'hello@shop.example','In doubt','<2-E-ZUQ6Fcv1fRJ-uGJlqDJf@shop.example>',287);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (7,'msg_-P6xhaJQcpLpV2trFZZ5snfh','acc_default','key_j7yjmR4ASAFzQADC','dom_kYy22lEcY9kBuQcI',1795257951515,1795257951997,1795430751515,'hello@shop.example','Marked','<SRzFc9Pjh4AP-fpenn4w5LqL@shop.example>',285);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (8,'msg_-P6xhaRxKLBV1uqYJv0KgULY','acc_default','key_j7yjmR4ASAFzQADC','dom_kYy22lEcY9kBuQcI',1795257952061,1795257952234,1795430752061,'hello@shop.example','Waiting','<H5Kaj42K1tAcILDcu2JLx7_n@shop.example>',304);
INSERT INTO contents (seq, content) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C5A3369677943555F5A6B426F73477563596D5F636874646E4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3436202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C517672713274443242436A734F395A4D4C774E6A335042434073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3439202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C2D44712D6F5072766F39337531695F6530387454727755304073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3439202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C3737436777522D4B666D476B464B6B3965317048327341634073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3530202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C424369445A556F6130376F7763354B334957734F667057634073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3530202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C322D452D5A5551364663763166524A2D75474A6C71444A664073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C53527A466339506A683441502D6670656E6E3477354C714C4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C48354B616A34324B31744163494C446375324A4C78375F6E4073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257949056,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8aj7-7d20f8d9d20a","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795257949056,'{"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257949821,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8ber-6a387a805457","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257950335,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bw0-208f7532889c","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257950757,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8c9h-89539ce066f2","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257951021,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8cc5-77c873034527","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795257951442,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795257951997,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795257952234,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795257952098,NULL,NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795257949056,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8aj7-7d20f8d9d20a"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795257949056,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795257949821,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8ber-6a387a805457"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795257950335,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bw0-208f7532889c"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795257950757,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8c9h-89539ce066f2"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795257951021,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8cc5-77c873034527"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795257951442,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795257951997,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795257952234,"type":"deferred","attempt":1,"reason":"temporarily_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"policy":"none","stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":1795262066779}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795257952098,"type":"deferred","attempt":1,"reason":"connection_failed","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:43553"}],"next_attempt_at_ms":1795261991832}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P6xh_BNswlJQc9fZyBC2kqu',1795257946904);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20778,10);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
PRAGMA user_version = 2;
