import { generateKeyPairSync, sign } from "node:crypto";

/** A key that signs ID tokens, with its public part for verification. */
export interface SigningKey {
  /** Returns a token: a header, these claims and a signature. */
  sign(claims: object): string;
  /** The content of the issuer's `jwks_uri`. */
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

/** Returns a token for tests without signature verification. */
export function unsignedToken(claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode(claims)}.signature`;
}
