import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { fieldOf } from "../../model/json.ts";
import type { Environment } from "../environment.ts";

/** Returns the variables that name proxies, for the agents of Node.js. */
export function proxyVariables(env: Environment): NodeJS.ProcessEnv {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  return Object.fromEntries(
    names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, fieldOf(env, name)]),
  );
}

/**
 * Returns a look-up that fails if `rejects` returns a reason for one of the addresses of a host. It
 * runs for each connection, so that a name can't get another address after a check.
 */
export function guardedLookup(
  rejects: (address: string, host: string) => string | undefined,
): LookupFunction {
  return (host, options, callback) => {
    lookup(host, options, (error, address, family) => {
      // A failed look-up has no address.
      if (error !== null) return callback(error, address, family);
      const found = Array.isArray(address) ? address.map((each) => each.address) : [address];
      const reason = found.map((each) => rejects(each, host)).find((each) => each !== undefined);
      if (reason === undefined) callback(null, address, family);
      else callback(new Error(reason), "");
    });
  };
}
