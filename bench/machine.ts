import { cpus, totalmem } from "node:os";

export interface Machine {
  readonly description: string;
}

export function machine(): Machine {
  const processors = cpus();
  const model = processors[0]?.model.trim() || "unknown processor";
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return {
    description: `${processors.length} × ${model}, ${gibibytes} GiB, Node ${process.versions.node}`,
  };
}
