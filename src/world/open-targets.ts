import type { Deployment } from "../model/deployments/deployment.ts";
import type { TargetCluster } from "../ports/world.ts";
import type { SentSecrets } from "../redaction/sent-secrets.ts";
import type { OpenTarget, TargetOpener } from "./open-target.ts";
import type { WorldOptions } from "./open-world.ts";
import { systemClock } from "./system-clock.ts";

/** The target clusters of a run. */
interface Targets {
  open(deployment: Deployment): Promise<TargetCluster>;
  hasWritten(): boolean;
  hasChanged(deployment?: string): boolean;
  close(): void;
}

/** The functions of a target that the run needs to its end. */
type KeptTarget = Pick<OpenTarget, "hasWritten" | "hasChanged" | "close">;

/**
 * Opens the targets of a run on demand.
 * It keeps no cluster of a deployment whose work has ended: each contains all kinds that the API
 * server serves.
 */
export function openTargets(options: WorldOptions & { readonly sent: SentSecrets }): Targets {
  const opened = new Map<string, KeptTarget[]>();
  let opener: Promise<TargetOpener> | undefined;
  let isClosed = false;
  const all = () => [...opened.values()].flat();
  return {
    async open({ name, context }) {
      opener ??= loadOpener(options);
      const target = await (await opener).open(context);
      const { hasWritten, hasChanged, close } = target;
      opened.set(name, [...(opened.get(name) ?? []), { hasWritten, hasChanged, close }]);
      if (isClosed) close();
      return target;
    },
    hasWritten: () => all().some((target) => target.hasWritten()),
    hasChanged: (name) =>
      (name === undefined ? all() : (opened.get(name) ?? [])).some((target) => target.hasChanged()),
    close: () => {
      isClosed = true;
      for (const target of all()) target.close();
      opener?.then((open) => open.close()).catch(() => {});
    },
  };
}

/** The dynamic import loads the cluster code only for commands that need it. */
async function loadOpener({
  kubeconfig,
  idTokens,
  env,
  directory,
  origin,
  sent,
}: Parameters<typeof openTargets>[0]): Promise<TargetOpener> {
  const module = await import("./open-target.ts");
  const login = { kubeconfig, idTokens, env, directory, sent };
  return module.createTargetOpener({ ...login, clock: systemClock, run: origin.run });
}
