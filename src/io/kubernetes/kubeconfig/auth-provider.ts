import { userError } from "../../../errors.ts";
import type { Credential, CredentialSource } from "./login.ts";
import type { KubeconfigUser } from "./schema.ts";

type AuthProvider = NonNullable<KubeconfigUser["auth-provider"]>;

/** OpenID Connect as built into kubectl; the vendors' providers are gone from kubectl too (since 1.26). */
export function askAuthProvider(
  context: string,
  provider: AuthProvider,
  certificate: () => Promise<Credential>,
): CredentialSource {
  if (provider.name !== "oidc") {
    throw userError(
      `Context "${context}" uses the auth-provider "${provider.name}", which Kubernetes has dropped`,
      "Let the cloud's command line write the kubeconfig anew: it then uses an exec plugin",
    );
  }
  // The library writes renewed tokens into what it is given.
  const user = { name: "oidc", authProvider: { name: "oidc", config: { ...provider.config } } };
  return async () => {
    const { OpenIDConnectAuth } = await import("@kubernetes/client-node/dist/oidc_auth.js");
    const options = { headers: {} };
    try {
      await new OpenIDConnectAuth().applyAuthentication(user, options);
    } catch {
      throw userError(
        `The OpenID Connect token of context "${context}" could not be refreshed`,
        "Log in again, so that the kubeconfig has a valid refresh-token",
      );
    }
    return { ...(await certificate()), headers: options.headers };
  };
}
