import { expect, test } from "vitest";
import { codeBlock, escapeText } from "../../../src/redaction/markdown.ts";
import { addRequestSecrets, sentSecrets } from "../../../src/redaction/sent-secrets.ts";
import { plainLines } from "../../../src/redaction/terminal.ts";
import { breakLine } from "../../../src/redaction/wrap.ts";
import { unsignedToken } from "../../support/servers/id-tokens.ts";

const token = unsignedToken({ sub: "repo:acme/shop", iss: "https://issuer.example", n: 1 });
const base64 = Buffer.from(token).toString("base64");
const parts = (width: number, end: string) =>
  token.replaceAll(new RegExp(`.{${width}}`, "g"), `$&${end}`);

const repeated: readonly (readonly [string, string])[] = [
  ["whole", `got Authorization: Bearer ${token}!`],
  ["Base64", base64],
  ["Base64 within another text", Buffer.from(`x:${token}:y`).toString("base64")],
  ["Base64 for URLs", Buffer.from(`Bearer ${token}`).toString("base64url")],
  ["Base64 in lines", base64.replaceAll(/.{76}/g, "$&\r\n")],
  ["JSON", JSON.stringify({ authorization: `Bearer ${token}` })],
  ["JSON with a line end within", JSON.stringify(parts(30, "\n"))],
  ["JSON of Base64, with escapes of =", JSON.stringify(base64).replaceAll("=", "\\u003d")],
  ["an address", `https://h/?t=${encodeURIComponent(base64)}`],
  ["an address in lower case", `?t=${encodeURIComponent(base64).replaceAll("%3D", "%3d")}`],
  ["lines", parts(20, "\n")],
  ["lines with an indent", parts(40, "\n      ")],
  ["a diff", parts(40, "\n+ ")],
  ["a quote", parts(40, "\n> ")],
  ["a terminal", breakLine(plainLines(`the server said ${token}`), 40, "  ").join("\n")],
  ["Markdown", escapeText(`it said ${token}`)],
  ["a block of code", codeBlock("text", [parts(33, "\n")])],
  ["invisible characters", parts(7, "\u200b")],
  ["colors", parts(9, "\u001b[1m")],
];

test.each(repeated)("a repeated credential is hidden: %s", (_, text) => {
  const sent = sentSecrets();
  sent.add(token);
  const shown = sent.hide({ list: [text] }).list[0] ?? "";
  expect(shown).toContain("(hidden)");
  const bare = shown.replaceAll(/[\s\\>|+\u200b]|\p{Cc}\[1m/gu, "");
  for (const form of [token, base64])
    for (const part of form.match(/.{16}/g) ?? []) expect(bare).not.toContain(part);
});

test.each([
  ["Basic", `Basic ${Buffer.from("ci:pass word/1+2").toString("base64")}`, "pass word/1+2"],
  [
    "a password in an address",
    `Basic ${Buffer.from("ci:päss/word").toString("base64")}`,
    "p%C3%A4ss%2Fword",
  ],
  ["the scheme of GitHub", "token ghs_0123456789", "ghs_0123456789"],
  ["without a scheme", "ghs_0123456789", "ghs_0123456789"],
])("the credential of a header is hidden: %s", (_, Authorization, quoted) => {
  const sent = sentSecrets();
  addRequestSecrets(sent, { headers: { Authorization } });
  expect(sent.hide(`refused: ${quoted}, ${Authorization}`)).not.toMatch(/pass|ss.2F|0123|Y2k6/);
});

test("a private key is hidden line by line", () => {
  const sent = sentSecrets();
  addRequestSecrets(sent, {
    headers: {},
    key: "-----BEGIN KEY-----\nMIIEabcdefgh\nijkl0123\n-----END KEY-----\n",
  });
  expect(sent.hide("bad key: MIIEabcdefgh / ijkl0123")).toBe("bad key: (hidden) / (hidden)");
});

test("the text around a hidden value stays unchanged", () => {
  const sent = sentSecrets();
  sent.add("abcdefghijklmnopqrst");
  const text = "- a: 1\n  b: abcdefghij\\\n  klmnopqrst and klmnopqrst\n";
  expect(sent.hide(text)).toBe("- a: 1\n  b: (hidden) and klmnopqrst\n");
});

test("each credential is announced once, so that a runner masks it", () => {
  const masked: string[] = [];
  const sent = sentSecrets((secret) => masked.push(secret));
  for (const secret of ["abcdefgh", "abcdefgh", "ijklmnop", "", "short"]) sent.add(secret);
  expect(masked).toEqual(["abcdefgh", "ijklmnop"]);
});
