import { expect, test } from "vitest";
import { isSensitiveName } from "../../../src/redaction/sensitive-name.ts";
import { isSensitiveValue } from "../../../src/redaction/sensitive-values.ts";

test.each([
  ...["password", "dbPassword", "DB_PASSWD", "dbPass", "dbpass", "db_pw", "pwd", "rootpwd"],
  ...["apiToken", "token2", "bearer", "auth", "authToken", "jwt", "credentials", "awsCreds"],
  ...["API-KEY", "apiKey", "api_key", "apikey", "APIKey", "key", "keys", "sshKey", "privateKey"],
  ...["privatekey", "signing_key", "signingKey", "signingkey", "encryptionKey", "primaryKey"],
  ...["clientSecret", "clientsecret", "mysecret", "MYSECRETS", "secretId", "secret_key_base"],
  ...["passphrase", "passcode", "pin", "userPIN", "pinCode", "otp", "salt", "psk"],
  ...["connStr", "connectionString", "db_connection_string", "dsn", "cert", "tls.key", "tlsCert"],
  ...[
    "secretArgs",
    "secretArray",
    "keyOld",
    "passwordForAdmin",
    "dbPass2",
    "tokenizerKey",
    "passwort",
  ],
])("%s is the name of a secret", (name) => {
  expect(isSensitiveName(name)).toBe(true);
});

test.each([
  ...["keyboard", "monkey", "spinner", "pinned", "tokenizer", "tokenization", "secretary"],
  ...["author", "authority", "passage", "compass", "bypass", "replicas", "image", "saltwater"],
  ...[
    "keyName",
    "key_names",
    "secretName",
    "passwordSecretRef",
    "tokenTtl",
    "apiKeyId",
    "authMode",
  ],
  ...["passwordLength", "authProvider", "certIssuer", "tokenPath", "publicKey", "topologyKey", ""],
])("%s isn't the name of a secret", (name) => {
  expect(isSensitiveName(name)).toBe(false);
});

test.each([
  ["a list of users", [{ user: { password: "x" } }], true],
  ["a user without a password", [{ user: { name: "x" } }], false],
  ["a pair", [{ name: "DB_PASSWORD", value: "x" }], true],
  ["another pair", [{ name: "REPLICAS", value: "x" }], false],
  ["a named key", [{ name: "bob", key: "x" }], true],
  ["a toleration", [{ key: "dedicated", operator: "Exists" }], false],
  ["a reference to a key", { secretKeyRef: { name: "db", key: "url" } }, false],
  ["an address with a password", "postgres://shop:hunter2@db/shop", true],
  ["an address without a password", "https://example.com:8443/a@b", false],
  ["a connection string", "Server=db;User=shop;Password=hunter2", true],
  ["a private key", "-----BEGIN EC PRIVATE KEY-----\nMHc…", true],
  ["a certificate", "-----BEGIN CERTIFICATE-----\nMIIB…", false],
  ["a private key of PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQO…", true],
  ["a private key in Base64", "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk1I", true],
  ["a certificate in Base64", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1J", false],
  ["a public key in Base64", "LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0KTUlJ", false],
  ["a token of npm", `npm_${"a1".repeat(18)}`, true],
  ["a test key of Stripe", "sk_test_4eC39HqLyjWDarjtT1zdp7dc", true],
  ["an image", "ghcr.io/acme/web:1.2.3@sha256:0123456789abcdef", false],
])("the param data contains a secret or not, %s: %j", (_, value, expected) => {
  expect(isSensitiveValue("data", value)).toBe(expected);
});
