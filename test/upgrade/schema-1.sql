-- A spool of schema 1, made by the code that had it.
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
INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_default','default',1795257943379);
INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_second','second',1790000000000);
INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms) VALUES ('usr_Ke2yEr3yMcZrMxI2','ann@shop.example','acc_default','scrypt$65536$8$1$kst/4acioiZOC1QizNyayg==$t26ZwLLuVwNAc+DjZd/hHn3454MrC6hQYlel4m4naDE=',1,1795257945104);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms) VALUES ('key_I8YzPH1gjLJNi-7t','acc_default','test',X'15121FDC8BE9E7D6E2CF622216A96CAC1E23E6F308D48DCA675B116BF0ECD6B0','----',1795257946734,1795257952523,NULL);
INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, last_used_at_ms, revoked_at_ms) VALUES ('key_revoked','acc_second','old',X'00','abcd',1790000000000,NULL,1790000001000);
INSERT INTO domains (id, account_id, name, token, created_at_ms, removed_at_ms, verified, checks, next_check_at_ms, selector, public_key, sealed_private_key) VALUES ('dom_J2-jb-wFiQ36RL_B','acc_default','shop.example','6Tb0tEj2oBNLTWCGmSvyWzJL4LmFd_d1',1795257945167,NULL,1,'{"ownership":{"state":"verified","detail":"The token is published at _postrider.shop.example.","expected":"postrider-verification=6Tb0tEj2oBNLTWCGmSvyWzJL4LmFd_d1","found":["postrider-verification=6Tb0tEj2oBNLTWCGmSvyWzJL4LmFd_d1"],"checkedAtMs":1795257945167,"standing":true,"failedSinceMs":null},"mx":{"state":"verified","detail":"Mail for shop.example goes to mail.shop.example. But none of these hosts has an address, so no mail arrives: give mail.shop.example an A or AAAA record.","expected":"10 mail.shop.example","found":["10 mail.shop.example"],"checkedAtMs":1795257945167,"standing":true,"failedSinceMs":null},"spf":{"state":"verified","detail":"The SPF record of shop.example lets 127.0.0.1 send.","expected":"v=spf1 ip4:127.0.0.1 ~all","found":["v=spf1 ip4:127.0.0.1 ~all"],"checkedAtMs":1795257945167,"standing":true,"failedSinceMs":null},"dkim":{"state":"verified","detail":"Our key is published at pr6e3f1e84._domainkey.shop.example.","expected":"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAneXAoXJPuxIP4UCi6sBanR/ECwcurAy589P+ZT1L5YziI59TSz4k+lISxlSz7I3k78JgwrDEoaSdv4qSmKy/nKPruCoOO6CPzlFxw8vYdEkD88slb3I0ph5wPZiO/7KgD0/fXEuJ5Y/vn/hA03S7ZQcG6LdEUVIGe4YIt+3LXgkt7MMRx3+max98gvhLboicd0s/d0BcZsJGrZarU01kceM0n135OgutexRrlRIUQ6L+3xqC3MAYaZXw+cCVWmqSj95nnFddSUV8gScDOkEzXS7n/W/+fgIthYWHfwfUb0ZNaYyw/2yjf7QGgTWd3P1rcL5IETFty+w72NGHKHODhQIDAQAB","found":["v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAneXAoXJPuxIP4UCi6sBanR/ECwcurAy589P+ZT1L5YziI59TSz4k+lISxlSz7I3k78JgwrDEoaSdv4qSmKy/nKPruCoOO6CPzlFxw8vYdEkD88slb3I0ph5wPZiO/7KgD0/fXEuJ5Y/vn/hA03S7ZQcG6LdEUVIGe4YIt+3LXgkt7MMRx3+max98gvhLboicd0s/d0BcZsJGrZarU01kceM0n135OgutexRrlRIUQ6L+3xqC3MAYaZXw+cCVWmqSj95nnFddSUV8gScDOkEzXS7n/W/+fgIthYWHfwfUb0ZNaYyw/2yjf7QGgTWd3P1rcL5IETFty+w72NGHKHODhQIDAQAB"],"checkedAtMs":1795257945167,"standing":true,"failedSinceMs":null},"dmarc":{"state":"verified","detail":"The policy p=none is published at _dmarc.shop.example.","expected":"v=DMARC1; p=none","found":["v=DMARC1; p=none"],"checkedAtMs":1795257945167,"standing":true,"failedSinceMs":null}}',1795344345167,'pr6e3f1e84','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAneXAoXJPuxIP4UCi6sBanR/ECwcurAy589P+ZT1L5YziI59TSz4k+lISxlSz7I3k78JgwrDEoaSdv4qSmKy/nKPruCoOO6CPzlFxw8vYdEkD88slb3I0ph5wPZiO/7KgD0/fXEuJ5Y/vn/hA03S7ZQcG6LdEUVIGe4YIt+3LXgkt7MMRx3+max98gvhLboicd0s/d0BcZsJGrZarU01kceM0n135OgutexRrlRIUQ6L+3xqC3MAYaZXw+cCVWmqSj95nnFddSUV8gScDOkEzXS7n/W/+fgIthYWHfwfUb0ZNaYyw/2yjf7QGgTWd3P1rcL5IETFty+w72NGHKHODhQIDAQAB',X'F3AC887A99C1189F0822E7CAE5B298D930D64FCAF2ABA81B938F51B7C9ADF907045627A3FDB84EB499A6275413D6E7047E9F01E21828EAC8926940FB8AFEDE1FCBA6322116E82A7BB9540635BAF2B092FE09E347ECA42D28FA5F40E5DE462F416C438B71EA5FAD0C4B7D6E1A326FCE6643A10C12A20BF1D645DC54A13B88F5AE216F0286ADDF0AA29090BE0ACD40C09E6438C34E1662E520CEDD1DCA10E9A35EF69EE42CFB6DBC3CB5A38E12E8ABDA077168BEA19C1F8DC124B13D2CE9276D616B80F7E22E70A4CF840DF8F1FB1B809CC5E262DABEA6EEF97A26353BD58BC8EDCC83C0379573CAFD2538292B9B3381961A0F6954AC3B845820D01DC8B00A36F56F97D67D41EC783CAA19E595191BEF6412F5B2A61850AB493CCFFC30924E88A270A812053D56E698BB6733EA7717D6562673D71E193270DEE3EC076E8A54492A0E3C57BFB5589331C2114F296E17A55651AE974094CD9C168A13FC55B54ABE1DC2BF2387752A90E49D0ACC4521EB1B4203EB7D86E11DFE3E6F0E06CF54375A94C5AACC4CC0D0194E551F083C064A0CBF8697DCAAE56792C2DC757E040AA87D98DDEE878B11050F75B4B151EB56B48FBAA736E3F3418CE3C8E024DA334E690B232331B94A754B3D1F67E8F830364456FAEEA729CDDA3AD28E618100E051B6A74A7C0A5E1E593DE126A58599F7C1FAF421652AE8CFDEDBF5B83E4CCBC6361FE35E73627E92C1C2349D473411122B8E2C4E2FCEBAD34B7F38519674242178F09A886CEF8A4B900D0162C358615D6394F668A63A3065CC9B7D2207ED9AAADEDAB1AE87B074F9E97FB9A31F84B3A68283C98167457F31D03D939658A5243A209C735020E46CD383A40FC1727D7F0E3C52EB7D30B281E1A2D208B23FE45A616B4BB5DA2775D51962E9B7783DEC0FF4D78D28949D48C38982AE057BEFF509D131870E34A5CF300A6D07B1DA8AAA7C5F38253F6F5597CD13FC9F0C53D1F05AC647C5164CD8153E9602EBBBEC5491628B0B22F88AF7C3D75E59C4CF37A5414F41E13AF73235F0AA1A76159F093422737875F385A3B3AE69B3E099B0394E901442805C143589035B87C8A90197E63286458F91CC4A228066608564A4A65891C8775F9122C56DB01AA902E57F5400F7D9B4F8FFE4255CA3817C444243A3CC98372389135BCABC250BCFC0F688C58BF0837A8A8C03E8BDFB052F1ED9BD4653F6AB7860E2C6266454F0D3F3D62177711B60B6E90B2DAD1177E8444233A7EBCA96687CAB65971F51EF172DD246F612F64C959C8B4D4341881EFDC4E8B4AA99ADFAF0DD5207051CC1A3B86B54CC73F03D53E7BF5B4EB52704F130B6D30B9A856732872771009E0F517555969D9B03C3ADB7C65F33025C3938A7A39B9CA0B4406C940961ACB9A424AC1794530269B8E6CCB0A4D7AF33FFC55E0F0D581A4D006654FA3D74D997BE29C4E3919D2F7890380F7FCAA44572827E8DD0BCF585E0E3EE00596FC62DAD18A247653826DB9B303BEC3B5B962795C8CC4A413EE1263F0CB2C58D1A3795A2C69C009B997B4941B53C893FAA924E0E17202455B45F5D55C2696DB867DF0C37EF630E19078A7EDE5D8BDD2AB7BCF0FAD1143683112557D178689DF6FF87DFB83FD40C12A7FCFD3C517A2B1D0CED65310855ECF27DD621113F9AA6232D5E0762BC7D9E97D9633D1BA4F2E2ED01134FE79D0AA12F393F4E96E10547C4092904FE375E7C0E5648896B5F6338067F2410474EB871329E902D72748AFC32F63BC87A2D8E715315031D3359E8100920E1C6AF74B792EB1D787C86A11FA773BF2CCDED638745B136D4FADEEB0CC637B30494CA226C66CFC826BE313796184B4BAC899A5133CF1DB618895D57488C46F6F484AFF70A8653265B86E8A87F424245F45508932ACCBAAB42DA817ACD63C9B5A14A4DBD348353BC814B5D3D29E76C087A42CC8B75CCBC0587894F80A9CB49CE5B8277C59E043D29FA9FC42E8B0AF60C50FB207C391124B941E93D43BFDE6014274501DD73EA64F0D597F8E7A0CB498FDF7CD60B9DFE19C75C7DBC5C0FF2310E3BBC7554D5C7E4A6950645F6016C7E12E88E8B75264D7B24EE9780006F472CD1762E434948433F8CBF4BF7F2CCCE3D64AA417584D803A15377A60AE64428DA8E0DF37042D077C75F3BD409B1CDB29679DFBD0BF335665A6A5CCD9EF09E57FD460E8AF4B4E423BFF91E0C4366F06CFD71B0E7898BEB93F8E8B686627EC3ABB68D1FDCB6350EB447D7FE8BD8E5A264FFAC55F1B892A1BA777E5BDD28921020B42A487409E4E6EE76D67457CA781FF0D0C00106081630A07B290587FD5549E104BE3CBFD259344AD52E4DD3BF1179939BE7FEA52936E15CFAA3ADAD571D27FC4ABAB21FEEF46F889EEC9EFFA9EB65DA82A55257211652200E36DF629EE9F3BF97ED62B217D45DE4D96C44AB219FD5521059E588060740C2088B4A');
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (1,'msg_-P6xh_BixsSkmzUuTQ14R9hq','acc_default','key_I8YzPH1gjLJNi-7t','dom_J2-jb-wFiQ36RL_B',1795257946926,1795257948677,1795430746926,'hello@shop.example','Settled','<lu1-ehhAGZ9yaHIoWvNReKJd@shop.example>',310);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (2,'msg_-P6xh_d9vjhIfXriGKbfzXMW','acc_default','key_I8YzPH1gjLJNi-7t','dom_J2-jb-wFiQ36RL_B',1795257948746,1795257949773,1795430748746,'hello@shop.example','Hello','<0RdOgh190di1d03NC_W4asEp@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (3,'msg_-P6xh_u1yKt_M8IV-oQoIimr','acc_default','key_I8YzPH1gjLJNi-7t','dom_J2-jb-wFiQ36RL_B',1795257949826,1795257950054,1795430749826,'hello@shop.example','Hello','<kMoEU3K5IwPiy7av1jfmjFba@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (4,'msg_-P6xh_yRWIpqUp40JS0iJEp3','acc_default','key_I8YzPH1gjLJNi-7t','dom_J2-jb-wFiQ36RL_B',1795257950108,1795257950677,1795430750108,'hello@shop.example','Hello','<ezUr3r6Wy5FYo8lXRIGH0gqt@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (5,'msg_-P6xha89o5dru2bspkMPqYlE','acc_default','key_I8YzPH1gjLJNi-7t','dom_J2-jb-wFiQ36RL_B',1795257950794,1795257951289,1795430750794,'hello@shop.example','Hello','<45r0lLChV8UMlziQBWX_rYAS@shop.example>',276);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (6,'msg_-P6xhaHZYbRx1wFNJ_2ZPbBX','acc_default','key_I8YzPH1gjLJNi-7t','dom_J2-jb-wFiQ36RL_B',1795257951396,1795257951677,1795430751396,'hello@shop.example','In doubt','<znJfcvT73N66BIQyuGMIwb13@shop.example>',287);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (7,'msg_-P6xhaMuGL6uaDVCr4hSMR_H','acc_default','key_I8YzPH1gjLJNi-7t','dom_J2-jb-wFiQ36RL_B',1795257951738,1795257952077,1795430751738,'hello@shop.example','Marked','<v1BNSkilYSkaH2mX10ctx9X5@shop.example>',285);
INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender, subject, message_id, size_bytes) VALUES (8,'msg_-P6xhaSfOozxE6Kh8Ax31UZ4','acc_default','key_I8YzPH1gjLJNi-7t','dom_J2-jb-wFiQ36RL_B',1795257952107,1795257952355,1795430752107,'hello@shop.example','Waiting','<5R4hVddSVZ0dKOlaC_AppO1A@shop.example>',304);
INSERT INTO contents (seq, content) VALUES (1,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064656C69766572656440637573746F6D6572732E6578616D706C652C0D0A203578782D35353040637573746F6D6572732E6578616D706C650D0A5375626A6563743A20536574746C65640D0A4D6573736167652D49443A203C6C75312D65686841475A39796148496F57764E52654B4A644073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3436202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (2,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C3052644F67683139306469316430334E435F5734617345704073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3438202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (3,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C6B4D6F4555334B354977506979376176316A666D6A4662614073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3439202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (4,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C657A557233723657793546596F386C5852494748306771744073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3530202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (5,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A206E6F626F647940637573746F6D6572732E6578616D706C650D0A5375626A6563743A2048656C6C6F0D0A4D6573736167652D49443A203C343572306C4C43685638554D6C7A69514257585F725941534073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3530202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (6,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A20496E20646F7562740D0A4D6573736167652D49443A203C7A6E4A6663765437334E36364249517975474D49776231334073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (7,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A2064726F702D61667465722D646F7440637573746F6D6572732E6578616D706C650D0A5375626A6563743A204D61726B65640D0A4D6573736167652D49443A203C7631424E536B696C59536B6148326D5831306374783958354073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3531202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO contents (seq, content) VALUES (8,X'46726F6D3A2053686F70203C68656C6C6F4073686F702E6578616D706C653E0D0A546F3A203478782D34353140637573746F6D6572732E6578616D706C652C0D0A2077616974696E67406C617465722E6578616D706C650D0A5375626A6563743A2057616974696E670D0A4D6573736167652D49443A203C3552346856646453565A30644B4F6C61435F4170704F31414073686F702E6578616D706C653E0D0A446174653A205361742C203231204E6F7620323032362031303A34353A3532202B303030300D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A0D0A48692074686572650D0A');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (1,0,'delivered@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257948677,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8aa0-4bd5487b31c4","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (1,1,'5xx-550@customers.example','acc_default','customers.example','failed','recipient_refused',1,NULL,1795257948677,'{"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (2,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257949773,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8b6g-e4ebd8aa93e6","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (3,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257950054,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bmz-90ab43733767","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (4,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257950677,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bxf-5517f53ca9fd","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (5,0,'nobody@customers.example','acc_default','customers.example','delivered',NULL,1,NULL,1795257951289,'{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8cjz-2f2f0b8486f9","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (6,0,'drop-after-dot@customers.example','acc_default','customers.example','unknown','connection_lost_after_final_dot',1,NULL,1795257951677,NULL,NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (7,0,'drop-after-dot@customers.example','acc_default','customers.example','marked','connection_lost_after_final_dot',1,NULL,1795257952077,NULL,'{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}');
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (8,0,'4xx-451@customers.example','acc_default','customers.example','pending','temporarily_refused',1,1790000000000,1795257952355,'{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks","mx":"mx.customers.example","ip":"127.0.0.1","tls":"TLSv1.3"}',NULL);
INSERT INTO recipients (seq, position, email, account_id, domain, state, reason, attempts, next_attempt_at_ms, updated_at_ms, smtp, mark) VALUES (8,1,'waiting@later.example','acc_default','later.example','pending','connection_failed',1,1790000000000,1795257952289,NULL,NULL);
INSERT INTO events (seq, position, number, event) VALUES (1,0,1,'{"at_ms":1795257948677,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8aa0-4bd5487b31c4"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (1,1,1,'{"at_ms":1795257948677,"type":"failed","attempt":1,"reason":"recipient_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"rcpt","reply":{"code":550,"enhanced_code":"5.1.1","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (2,0,1,'{"at_ms":1795257949773,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8b6g-e4ebd8aa93e6"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (3,0,1,'{"at_ms":1795257950054,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bmz-90ab43733767"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (4,0,1,'{"at_ms":1795257950677,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8bxf-5517f53ca9fd"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (5,0,1,'{"at_ms":1795257951289,"type":"delivered","attempt":1,"reason":null,"tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"final_dot","reply":{"code":250,"enhanced_code":"2.0.0","message":"Kept as mwqa8cjz-2f2f0b8486f9"},"error":null}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (6,0,1,'{"at_ms":1795257951677,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (7,0,1,'{"at_ms":1795257952077,"type":"unknown","attempt":1,"reason":"connection_lost_after_final_dot","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"final_dot","reply":null,"error":"connection closed by the peer"}],"next_attempt_at_ms":null}');
INSERT INTO events (seq, position, number, event) VALUES (8,0,1,'{"at_ms":1795257952355,"type":"deferred","attempt":1,"reason":"temporarily_refused","tries":[{"mx":"mx.customers.example","ip":"127.0.0.1","tls":{"protocol":"TLSv1.3","cipher":"TLS_AES_256_GCM_SHA384","verified":false},"note":null,"stage":"rcpt","reply":{"code":451,"enhanced_code":"4.0.0","message":"Refused, as the local part asks"},"error":null}],"next_attempt_at_ms":1795260895460}');
INSERT INTO events (seq, position, number, event) VALUES (8,1,1,'{"at_ms":1795257952289,"type":"deferred","attempt":1,"reason":"connection_failed","tries":[{"mx":"mx.later.example","ip":"127.0.0.2","tls":null,"note":null,"stage":"connect","reply":null,"error":"connect ECONNREFUSED 127.0.0.2:46555"}],"next_attempt_at_ms":1795260959745}');
INSERT INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES ('acc_default','order-1','17c804621535337917ea4fc597e35e69326f549da2c7f224725a536425db4ed3','msg_-P6xh_BixsSkmzUuTQ14R9hq',1795257946926);
INSERT INTO quota (account_id, day, used) VALUES ('acc_default',20778,10);
PRAGMA user_version = 1;
