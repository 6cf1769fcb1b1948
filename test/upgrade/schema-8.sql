-- A spool of schema 8, made by the code that had it.
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
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_default','default',1795331329485,NULL);
INSERT INTO accounts (id, name, created_at_ms, quota_daily) VALUES ('acc_second','second',1790000000000,NULL);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp, totp_step) VALUES ('usr_485FbNXW9EEJPug2','ann@shop.example','acc_default','scrypt$65536$8$1$zoC+SmRmvM0J/TwKxcopew==$NzJTdkllXzCHfXDi9d/FTuopZt0m0Ft1HgZoPHMbUJg=',1,1795331329643,NULL,0);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_1cClftDRgV_vIMwt','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795331329758,1795331330605,NULL,9);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms, messages_sent) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000,0);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_mNlnxnVmoCp5myzf','acc_default','shop.example','fAQs-Yn1O6qcNEsxLfYRrOEwkwuUYisl',1795331329664,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=fAQs-Yn1O6qcNEsxLfYRrOEwkwuUYisl","found":["postrider-verification=fAQs-Yn1O6qcNEsxLfYRrOEwkwuUYisl"],"checkedAtMs":1795331329664,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795331329664,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795331329664,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at prd554a4b3._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA32wN7GbZZrdMrzXFIRGgF3VhrwsdtwKnA8l36GT+XDvIYlr0eTatYwQcwZ56XSBSQ2fCOLju7itQe6owgt93kWROG4Mz93oRw1hh+SXZZR0XyYak/g+vDYZ08NuyOmLCXiX/Q2suj1/kUzw98kjDOyKXCcTIfd9w+DSRTN1tmyEmtuu68j1mQW5l556cXXD72pz0Cy2umTqsxybHSA+YxD8bWTq3Ly9txC4b4eyC2XhukgeVftewpCq4mTMtpJmGEqUKRR/x8IVlEj3tUgOpZFy6QGFL1h+a/h5QX8+s8UQxIoDHZQVYh5Ib/sxKavYJgI2moi3S4k1yPzrOniNkqQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA32wN7GbZZrdMrzXFIRGgF3VhrwsdtwKnA8l36GT+XDvIYlr0eTatYwQcwZ56XSBSQ2fCOLju7itQe6owgt93kWROG4Mz93oRw1hh+SXZZR0XyYak/g+vDYZ08NuyOmLCXiX/Q2suj1/kUzw98kjDOyKXCcTIfd9w+DSRTN1tmyEmtuu68j1mQW5l556cXXD72pz0Cy2umTqsxybHSA+YxD8bWTq3Ly9txC4b4eyC2XhukgeVftewpCq4mTMtpJmGEqUKRR/x8IVlEj3tUgOpZFy6QGFL1h+a/h5QX8+s8UQxIoDHZQVYh5Ib/sxKavYJgI2moi3S4k1yPzrOniNkqQIDAQAB"],"checkedAtMs":1795331329664,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795331329664,"standing":true,"failedSinceMs":null}}',1795417729664,'prd554a4b3','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA32wN7GbZZrdMrzXFIRGgF3VhrwsdtwKnA8l36GT+XDvIYlr0eTatYwQcwZ56XSBSQ2fCOLju7itQe6owgt93kWROG4Mz93oRw1hh+SXZZR0XyYak/g+vDYZ08NuyOmLCXiX/Q2suj1/kUzw98kjDOyKXCcTIfd9w+DSRTN1tmyEmtuu68j1mQW5l556cXXD72pz0Cy2umTqsxybHSA+YxD8bWTq3Ly9txC4b4eyC2XhukgeVftewpCq4mTMtpJmGEqUKRR/x8IVlEj3tUgOpZFy6QGFL1h+a/h5QX8+s8UQxIoDHZQVYh5Ib/sxKavYJgI2moi3S4k1yPzrOniNkqQIDAQAB',X'A9FFD0E6C08477534856268B0BE2051C4BCEE2B8286807FED1AB47D5A59C0B1F0506319EAF81439A5D3FEF124036624B9AEF69B805B54B94905859DF818CF1EA800F562653F77E68C983514388148FC6DDA73A0996AB1C2EFB53749E6CFB011F46C3F877E9AC836AE21542007459CB83E8E09CF6D02B052B1E566236FDDE521C96122A467912AF7100F3CC6DCB4838AB3A739F01B9674C99730F0A59FDDC0C0531C8A49E5BD013F381EC28E6D8E510C3C3CB47B0B07233223388F144450DC05F5664A6A3D588D83334A0A3D2A1E6D357B3C145E2C514593D274C74AC56AE31CBD376AC43FDD811F8DAE7AFF65CA7FBF01DE0FDA4A1AF67B9869D7BBDEDB2984A820DACD7B78ADCE6994385A517C03263D48A68E02364B91DBB145A8E3E3CA6BD6024080BE7D5BE89C8FD672C4031EA6C5ED665C35B07C733AA82931C0766589877A9851AE5D5570038222D3D989BF6906576EA9FD140C1D2925B83BC8CA29A4B5BA054D40888E75D697ECDCE3DEFE9FC67D7AAFDBE765C6DD715362D25699430335BB7A774BC4A563025EAEDD0B663F1A36EDF8B8D212C0E275D3F09E955DFFEF98822BA47AE7389EC51C7B06F696EC0A28B7EB4690710372D18F38FD2220B804FE869CD1021BDF8498D6D163F0146F47608C811500EFA0C511636CE1DA980BC6E9F5E60A61680B4D26FCCACAED8A03A50FE5FD659AB224CFE7D9CC899F2F3FA323A813FC4AC4A756207E917DF68E6F90E08E8692330BB31BF031585B04E028943CF9CD76EE89F0899DE2C744F4A5FBF6278F446F8A044992F9599F553F32331D190D894DFA7D2BDBC9BDAAE1AC4A73EA7F76789AF2E061965A4DB6F204D23FA185F94B75085496DC383E12602928C1FE033DDD88C4A80C3A84E55C53E930251B8BB2F12883190E667B01AE35486E711EA12EFD2BC1F5BC1E392B685DEEE85AD5844B2FA38C0D9C21FF9A337F92D3BDB24776C0424C9FB4C862D2C3F592CC2D0378B9F2171E4CE3D3B7EFD0DFAE5AA8D138D3703E03DD4DB508FE7CDD6C667285B34DC4154499F4FD543991BE7CABF2D7620345B5D5496550434D21B4ECEB44B8B7713881EB053BEB05D130E89257ED14EC114CDE0E9C2CF184D8B529A54A481A9337F0F2D0D7A995CC43A9E4F31FCBD931D4A06F79335E3A756EC88F9BC00EBF4245EB63955B8708E2C4B8D088009173ED4F0F9829BDCAE4271904471637A0CAC8B6BB60B9D0BB12829299B92B81B62E04D2159EAB44A0C445BB87259E672992D9E9E5F143EB3F1E46A11779EDCA5EC7B7C126A47F2BB15B345CC830E0E175F50CFF656D74839E1A6A5750E64964CF3717929F28259A84C1FA21134B594513AC8170C080B8D76E6E9E87A11A4B3329924B0C55A78B3BA09030CC22ED34841766C93E1BF60CE32106140955403796FB676C73218A7368366D29031302A9723E82C35A00BDCA13AF0C4C5A0BEA4C174A9CDD9361BAFEFCB2776A2FE0AB3241E882695C2596CB48E326DD30CEB97ED86AF3722A5551747B6BDDDED59D08BFB69DEED97571B4748CD6CC4F7E05388AF407785F84CFC90AABF7BBE5F59FAC66EAAD2379A47FF1E1B997A02CD64AE2F85571BF09863B3032DAA5D73BA46DADE50C3E546C9F566528B8531FFAF699909529205C88012F8A08DCC3E256F06CA1BB5149E1990A57AC5254A8C6BE2A72C72AE22970E818FF2CBCA731432D2FEEF03FAC6644EDCAE1BCE8E9A55F3ED61BFC9BACB7E8EF1D9019BF2CC74544750FAC0464C700B851071A49342A7ECA506F7A493D64B120DD7865ED340F9C38842E45CB4A562131382654B6C85F705DB359D71A80FF9B0F651329BA26DCBC21FB2989727F382F8948D730659CB62C32EB483F939046DE6C4F67AD935056A3991EBCE1F0BF0EC33E0F85F805CFCE5713E265910548E38DD42DF1ABD09583C866E9713AC875CFBC48933AA3D9222D1148B16B7D34961DE39446E8961D0D5B2DAC29DCA9EDF7CA1906ECA3C9DCE1741C2CC7044EB39F4CD9B9FA82198E36ED3B82328451E25D748A29E3651CC6A2644985AB20D230DBB5420FAD56F5D809B3B5E3DC2DBB2E66A32FFAA758F120BA0B154BC41DAA909E3B1B3F8933295B04CD3DFD23A32E8EB78443FB0B31A748BC2E45FACD09362972325A325C055E2DCCC787C79ECF04B25E1AB0A5F948D4834846EE66D11E01B40548E4AAB88F4B799E5B3E22332B7F8A1ED5D228156246123228F1F396C81F917B96E941AA226467711A8D663608E17EEA9AE772E2CDBA35474B27DDA699EA69F9197A7B54B617AF622962561AB2C8B22BD68FF742B3A721F732CB5CA39DCF5F01B2A163BC295B228A0E7311C6A858ABBDBEEF9052333CFD78341FB32B6A6B8FCD955E9A466B5DFAD824B2F57610282BE8EA7DFA0C0E92AA82BD01099BCF8A1EE8A4ED6B2AC8E7E9ABDF09E76131E28DD6EB4D06CDD54');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (1,'msg_-P714Vvt4-gPpRCsy4T0NLqc','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331329785,1795331329938,1795504129785,'hello@shop.example','Settled','<G5Nksr73ctRHSevTDM_oosa4@shop.example>',310,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (2,'msg_-P714VymclW8cRmQAaVQx8UV','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331329970,1795331329977,1795504129970,'hello@shop.example','Hello','<1mKVljHk7yS4Z5kesTrJcDj-@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (3,'msg_-P714VzjrDjt_8qbaKDKmfE1','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331330031,1795331330039,1795504130031,'hello@shop.example','Hello','<ZpXaHVmovXTqDzuqOKqnl2q9@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (4,'msg_-P714W-gDgBybDgAjDjhVyk8','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331330092,1795331330098,1795504130092,'hello@shop.example','Hello','<OcZ3fN6RbGpenbxJANS7OiZP@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (5,'msg_-P714W0c9jtV2skw3n7wtBIt','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331330152,1795331330152,1795504130152,'hello@shop.example','Hello','<rUVqq0YGIuckwm2Pk-IH80En@shop.example>',276,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (6,'msg_-P714W0iW2gEE2NGa2mR4H4d','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331330158,1795331330171,1795504130158,'hello@shop.example','In doubt','<sm1CivABGsERuN9dQ-O4iJ9K@shop.example>',287,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (7,'msg_-P714W1gtwsFx1Xlj-whuMc9','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331330220,1795331330341,1795504130220,'hello@shop.example','Marked','<I2jm-X3J1Hj9OdnA6Wedc_MO@shop.example>',285,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (8,'msg_-P714W4EBBuk7xuBSHUBr3BF','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331330383,1795331330494,1795504130383,'hello@shop.example','Waiting','<9iLmoQZuZChNBswG8W1irkjA@shop.example>',304,NULL,NULL,NULL);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes, deadline_ms, tags, metadata) VALUES (9,'msg_-P714W6owJCVc62qi3WmbzVG','acc_default','key_1cClftDRgV_vIMwt','dom_mNlnxnVmoCp5myzf',1795331330548,1795331330565,1795504130548,'hello@shop.example','Extras','<sXBIYIW-4rkQVnMHko0kzNFM@shop.example>',323,NULL,'["invoice"]','{"order":"1042"}');
INSERT INTO contents (seq, content) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C47354E6B737237336374524853657654444D5F6F6F7361344073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3439202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C316D4B566C6A486B377953345A356B657354724A63446A2D4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3439202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C5A70586148566D6F76585471447A75714F4B716E6C3271394073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C4F635A33664E3652624770656E62784A414E53374F695A504073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C72555671713059474975636B776D32506B2D49483830456E4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C736D31436976414247734552754E3964512D4F34694A394B4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C49326A6D2D58334A31486A394F646E4136576564635F4D4F4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C39694C6D6F515A755A43684E4273774738573169726B6A414073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (9,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C650D0A43633A20636F707940637573746F6D6572732E6578616D706C650D0A5375626A6563743A204578747261730D0A4D6573736167652D49443A203C735842495949572D34726B51566E4D486B6F306B7A4E464D4073686F702E6578616D706C653E0D0A446174653A2053756E2C203232204E6F7620323032362030373A30383A3530202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A582D4F726465723A20313034320D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A0D0A48692074686572650D0A');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795331329938,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrhx408-aae859ae64fc","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795331329938,'{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795331329977,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795331330039,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795331330098,'{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','failed','suppressed',0,NULL,1795331330152,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795331330171,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795331330341,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795331330494,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795331330393,NULL,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (9,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795331330565,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrhx4hl-3216478ba01b","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark, field) VALUES (9,1,'copy@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795331330565,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrhx4hl-3216478ba01b","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL,'cc');
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795331329938,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrhx408-aae859ae64fc"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795331329938,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795331329977,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795331330039,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795331330098,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"No such mailbox"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795331330152,"type":"suppressed","since_ms":1795331330098,"until_ms":1797923329977,"refusals":[{"at_ms":1795331329977,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795331330039,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795331330098,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795331330171,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795331330341,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":null,"error":"connection closed by the peer","note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795331330494,"type":"deferred","attempt":1,"reason":"temporarily_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":1795335468446}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795331330393,"type":"deferred","attempt":1,"reason":"connection_failed","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"policy":"none","stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:42595"}],"next_attempt_at_ms":1795334949964}');
INSERT INTO events (seq, position, number, event) VALUES (9,0,1,'{"at_ms":1795331330565,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrhx4hl-3216478ba01b"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (9,1,1,'{"at_ms":1795331330565,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwrhx4hl-3216478ba01b"},"error":null,"note":null,"policy":"none"}],"next_attempt_at_ms":null}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P714Vvt4-gPpRCsy4T0NLqc',1795331329785);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20779,12);
INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ('customers.example','id1','testing','["mx.customers.example"]',1790000000000,1890000000000);
INSERT INTO notes (name, text) VALUES ('delivery-memory','{"destinations":[{"name":"mx.customers.example","window":4.049865229110512,"threshold":3.5},{"name":"mx.later.example","window":5,"threshold":5}],"addresses":[{"address":"127.0.0.2","port":42595,"failures":1,"sinceMs":1795331330393,"probeAtMs":1795331331393,"isProbed":false,"error":"connect ECONNREFUSED 127.0.0.2:42595"}]}');
INSERT INTO notes (name, text) VALUES ('fixture','a note');
INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default','nobody@customers.example',1795331330098,'[{"at_ms":1795331329977,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795331330039,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"},{"at_ms":1795331330098,"code":550,"enhanced_code":"5.1.1","message":"No such mailbox","mx":"mx.customers.example","ip":"127.0.0.1"}]');
INSERT INTO recovery_codes (user_id, hash) VALUES ('usr_485FbNXW9EEJPug2',X'02');
INSERT INTO sessions (hash, user_id, account_id, created_at_ms, seen_at_ms, agent, ip) VALUES (X'01','usr_485FbNXW9EEJPug2','acc_default',1790000000000,1790000000000,'a browser','192.0.2.1');
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (1,'acc_default','shop.example','ownership','verified','The token is published at _postrider.shop.example.',1795331329664);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (2,'acc_default','shop.example','mx','verified','Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.',1795331329664);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (3,'acc_default','shop.example','spf','verified','The SPF record of shop.example lets 127.0.0.1 send.',1795331329664);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (4,'acc_default','shop.example','dkim','verified','Our key is published at prd554a4b3._domainkey.shop.example.',1795331329664);
INSERT INTO check_changes (number, account_id, domain, check_name, state, detail, at_ms) VALUES (5,'acc_default','shop.example','dmarc','verified','The policy p=none is published at _dmarc.shop.example.',1795331329664);
INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ('dom_mNlnxnVmoCp5myzf','next','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA32wN7GbZZrdMrzXFIRGgF3VhrwsdtwKnA8l36GT+XDvIYlr0eTatYwQcwZ56XSBSQ2fCOLju7itQe6owgt93kWROG4Mz93oRw1hh+SXZZR0XyYak/g+vDYZ08NuyOmLCXiX/Q2suj1/kUzw98kjDOyKXCcTIfd9w+DSRTN1tmyEmtuu68j1mQW5l556cXXD72pz0Cy2umTqsxybHSA+YxD8bWTq3Ly9txC4b4eyC2XhukgeVftewpCq4mTMtpJmGEqUKRR/x8IVlEj3tUgOpZFy6QGFL1h+a/h5QX8+s8UQxIoDHZQVYh5Ib/sxKavYJgI2moi3S4k1yPzrOniNkqQIDAQAB',X'A9FFD0E6C08477534856268B0BE2051C4BCEE2B8286807FED1AB47D5A59C0B1F0506319EAF81439A5D3FEF124036624B9AEF69B805B54B94905859DF818CF1EA800F562653F77E68C983514388148FC6DDA73A0996AB1C2EFB53749E6CFB011F46C3F877E9AC836AE21542007459CB83E8E09CF6D02B052B1E566236FDDE521C96122A467912AF7100F3CC6DCB4838AB3A739F01B9674C99730F0A59FDDC0C0531C8A49E5BD013F381EC28E6D8E510C3C3CB47B0B07233223388F144450DC05F5664A6A3D588D83334A0A3D2A1E6D357B3C145E2C514593D274C74AC56AE31CBD376AC43FDD811F8DAE7AFF65CA7FBF01DE0FDA4A1AF67B9869D7BBDEDB2984A820DACD7B78ADCE6994385A517C03263D48A68E02364B91DBB145A8E3E3CA6BD6024080BE7D5BE89C8FD672C4031EA6C5ED665C35B07C733AA82931C0766589877A9851AE5D5570038222D3D989BF6906576EA9FD140C1D2925B83BC8CA29A4B5BA054D40888E75D697ECDCE3DEFE9FC67D7AAFDBE765C6DD715362D25699430335BB7A774BC4A563025EAEDD0B663F1A36EDF8B8D212C0E275D3F09E955DFFEF98822BA47AE7389EC51C7B06F696EC0A28B7EB4690710372D18F38FD2220B804FE869CD1021BDF8498D6D163F0146F47608C811500EFA0C511636CE1DA980BC6E9F5E60A61680B4D26FCCACAED8A03A50FE5FD659AB224CFE7D9CC899F2F3FA323A813FC4AC4A756207E917DF68E6F90E08E8692330BB31BF031585B04E028943CF9CD76EE89F0899DE2C744F4A5FBF6278F446F8A044992F9599F553F32331D190D894DFA7D2BDBC9BDAAE1AC4A73EA7F76789AF2E061965A4DB6F204D23FA185F94B75085496DC383E12602928C1FE033DDD88C4A80C3A84E55C53E930251B8BB2F12883190E667B01AE35486E711EA12EFD2BC1F5BC1E392B685DEEE85AD5844B2FA38C0D9C21FF9A337F92D3BDB24776C0424C9FB4C862D2C3F592CC2D0378B9F2171E4CE3D3B7EFD0DFAE5AA8D138D3703E03DD4DB508FE7CDD6C667285B34DC4154499F4FD543991BE7CABF2D7620345B5D5496550434D21B4ECEB44B8B7713881EB053BEB05D130E89257ED14EC114CDE0E9C2CF184D8B529A54A481A9337F0F2D0D7A995CC43A9E4F31FCBD931D4A06F79335E3A756EC88F9BC00EBF4245EB63955B8708E2C4B8D088009173ED4F0F9829BDCAE4271904471637A0CAC8B6BB60B9D0BB12829299B92B81B62E04D2159EAB44A0C445BB87259E672992D9E9E5F143EB3F1E46A11779EDCA5EC7B7C126A47F2BB15B345CC830E0E175F50CFF656D74839E1A6A5750E64964CF3717929F28259A84C1FA21134B594513AC8170C080B8D76E6E9E87A11A4B3329924B0C55A78B3BA09030CC22ED34841766C93E1BF60CE32106140955403796FB676C73218A7368366D29031302A9723E82C35A00BDCA13AF0C4C5A0BEA4C174A9CDD9361BAFEFCB2776A2FE0AB3241E882695C2596CB48E326DD30CEB97ED86AF3722A5551747B6BDDDED59D08BFB69DEED97571B4748CD6CC4F7E05388AF407785F84CFC90AABF7BBE5F59FAC66EAAD2379A47FF1E1B997A02CD64AE2F85571BF09863B3032DAA5D73BA46DADE50C3E546C9F566528B8531FFAF699909529205C88012F8A08DCC3E256F06CA1BB5149E1990A57AC5254A8C6BE2A72C72AE22970E818FF2CBCA731432D2FEEF03FAC6644EDCAE1BCE8E9A55F3ED61BFC9BACB7E8EF1D9019BF2CC74544750FAC0464C700B851071A49342A7ECA506F7A493D64B120DD7865ED340F9C38842E45CB4A562131382654B6C85F705DB359D71A80FF9B0F651329BA26DCBC21FB2989727F382F8948D730659CB62C32EB483F939046DE6C4F67AD935056A3991EBCE1F0BF0EC33E0F85F805CFCE5713E265910548E38DD42DF1ABD09583C866E9713AC875CFBC48933AA3D9222D1148B16B7D34961DE39446E8961D0D5B2DAC29DCA9EDF7CA1906ECA3C9DCE1741C2CC7044EB39F4CD9B9FA82198E36ED3B82328451E25D748A29E3651CC6A2644985AB20D230DBB5420FAD56F5D809B3B5E3DC2DBB2E66A32FFAA758F120BA0B154BC41DAA909E3B1B3F8933295B04CD3DFD23A32E8EB78443FB0B31A748BC2E45FACD09362972325A325C055E2DCCC787C79ECF04B25E1AB0A5F948D4834846EE66D11E01B40548E4AAB88F4B799E5B3E22332B7F8A1ED5D228156246123228F1F396C81F917B96E941AA226467711A8D663608E17EEA9AE772E2CDBA35474B27DDA699EA69F9197A7B54B617AF622962561AB2C8B22BD68FF742B3A721F732CB5CA39DCF5F01B2A163BC295B228A0E7311C6A858ABBDBEEF9052333CFD78341FB32B6A6B8FCD955E9A466B5DFAD824B2F57610282BE8EA7DFA0C0E92AA82BD01099BCF8A1EE8A4ED6B2AC8E7E9ABDF09E76131E28DD6EB4D06CDD54',1790000000000);
INSERT INTO paused_domains (domain, at_ms) VALUES ('paused.example',1790000000000);
INSERT INTO activity (account_id, minute_ms, messages, recipients, delivered, failed, unknown, deferred) VALUES ('acc_default',1795331280000,9,12,3,5,2,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795330800000,16,2);
INSERT INTO delivery_times (account_id, slot_ms, bucket, recipients) VALUES ('acc_default',1795330800000,29,1);
INSERT INTO message_tags (account_id, tag, seq) VALUES ('acc_default','invoice',9);
PRAGMA user_version = 8;
