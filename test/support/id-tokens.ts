import { generateKeyPairSync, sign } from "node:crypto";

/** A key that ID tokens are signed with, and what others check them by. */
export interface SigningKey {
  /** The token: a header, these claims, a signature. */
  sign(claims: object): string;
  /** For the issuer's `jwks_uri`. */
  readonly jwks: object;
}

export function signingKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const head = { alg: "RS256", kid: "test", typ: "JWT" };
  return {
    sign: (claims) => {
      const signed = `${encode(head)}.${encode(claims)}`;
      return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
    },
    jwks: {
      keys: [{ ...publicKey.export({ format: "jwk" }), kid: "test", alg: "RS256", use: "sig" }],
    },
  };
}

/** Nobody checks its signature. */
export function unsignedToken(claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode(claims)}.signature`;
}
