import { connect, createServer } from "node:net";

/**
 * `balancer.ts DIRECTORY PORT TARGET…` distributes the connections to a local port over several
 * others, in turn. The directory in the command line identifies the process.
 */
const [port = 0, ...targets] = process.argv.slice(3).map(Number);
let next = 0;

createServer((near) => {
  const far = connect(targets[next++ % targets.length] ?? 0, "127.0.0.1");
  near.setNoDelay(true).pipe(far.setNoDelay(true)).pipe(near);
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
}).listen(port, "127.0.0.1");
