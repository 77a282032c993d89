import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readServerInput, type ServerInputs } from "../../src/action/inputs/server-input.ts";

const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const nothing: ServerInputs = {
  server: "",
  certificateAuthority: "",
  audience: "",
  context: "",
  kubeconfig: "",
};
const server = "https://203.0.113.7:6443";

/** What is wrong, or what came of it. */
function read(given: Partial<ServerInputs>) {
  const result = readServerInput({ ...nothing, ...given });
  return result.ok ? result.value : result.problems.map(({ what }) => what).join("\n");
}

test("without a server there is nothing", () => {
  expect(read({})).toBeUndefined();
});

test("the audience is the address by default, and the context is the one that is named", () => {
  const plain = { server, certificateAuthority: undefined, audience: server, context: undefined };
  expect(read({ server: `${server}/` })).toEqual(plain);
  expect(read({ server, audience: "kubernetes", context: "production" })).toEqual({
    ...plain,
    audience: "kubernetes",
    context: "production",
  });
});

test("a certificate authority is PEM, Base64 of it, or a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "authority-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "ca.crt");
  writeFileSync(file, pem);
  for (const certificateAuthority of [pem, Buffer.from(pem).toString("base64"), file]) {
    expect(read({ server, certificateAuthority })).toMatchObject({ certificateAuthority: pem });
  }
});

test.for<[Partial<ServerInputs>, string]>([
  [{ server: "http://203.0.113.7" }, "not an https address"],
  [{ server: "203.0.113.7:6443" }, "not an https address"],
  [{ server: "https://me:word@203.0.113.7" }, "without user, password and query"],
  [{ server: `${server}?a=b` }, "without user, password and query"],
  [{ server, kubeconfig: "x" }, "kubeconfig and server are both given"],
  [{ server, certificateAuthority: "nowhere.pem" }, "neither a certificate in PEM"],
  [{ server, certificateAuthority: "/" }, "neither a certificate in PEM"],
  [{ certificateAuthority: pem }, "the input certificate-authority is given, but no input server"],
  [{ audience: "a" }, "the input oidc-audience is given, but no input server"],
])("%j is refused", ([given, what]) => {
  expect(read(given)).toContain(what);
});
