import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readServerInput, type ServerInputs } from "../../../../src/action/inputs/server-input.ts";

const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const nothing: ServerInputs = {
  server: "",
  certificateAuthority: "",
  audience: "",
  context: "",
  kubeconfig: "",
};
const server = "https://203.0.113.7:6443";

/** Returns the result, or the problems. */
function read(given: Partial<ServerInputs>) {
  const result = readServerInput({ ...nothing, ...given });
  return result.ok ? result.value : result.problems.map(({ what }) => what).join("\n");
}

test("the inputs have no server by default", () => {
  expect(read({})).toBeUndefined();
});

test("the default audience is the address, and the context is the named one", () => {
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
  [{ server: "http://203.0.113.7" }, "isn't a plain https address"],
  [{ server: "203.0.113.7:6443" }, "isn't a plain https address"],
  [{ server: "https://me:word@203.0.113.7" }, "isn't a plain https address"],
  [{ server: `${server}?a=b` }, "isn't a plain https address"],
  [{ server, kubeconfig: "x" }, "kubeconfig and server are both set"],
  [{ server, certificateAuthority: "nowhere.pem" }, "isn't a certificate"],
  [{ server, certificateAuthority: "/" }, "isn't a certificate"],
  [
    { certificateAuthority: pem },
    "Input certificate-authority has no effect without the input server",
  ],
  [{ audience: "a" }, "Input oidc-audience has no effect without the input server"],
])("%j is rejected", ([given, what]) => {
  expect(read(given)).toContain(what);
});
