import { userError } from "../../model/problems/errors.ts";
import { isLoopbackName } from "../../model/remote-chart.ts";
import type { Environment } from "../environment.ts";

/**
 * Returns the registries of this machine that qvs contacts without TLS, such as `localhost:5000`.
 * Only the environment decides: a config can come from a pull request.
 * Throws a UserError for a host that isn't this machine.
 */
export function readInsecureRegistries({
  QVS_INSECURE_REGISTRIES = "",
}: Environment): ReadonlySet<string> {
  const hosts = QVS_INSECURE_REGISTRIES.split(",").map((host) => host.trim());
  const named = hosts.filter((host) => host !== "");
  const wrong = named.find((host) => !isLoopbackName(host.replace(/:\d+$/, "")));
  if (wrong === undefined) return new Set(named);
  throw userError(
    "invalid-input",
    `"${wrong}" in QVS_INSECURE_REGISTRIES isn't this machine`,
    "Write only localhost with a port, such as localhost:5000",
  );
}
