import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processGroup } from "./process-group.ts";

const script = {
  /** Its command line contains the directory of its output only after a while. */
  thatIsSlowToLoad: "sleep 0.3; exec tail -f $(readlink /proc/$$/fd/1)",
  thatEndsAtOnce: "echo out of memory; exit 3",
};

async function started(program: string) {
  const directory = await mkdtemp(join(tmpdir(), "qvs-group-"));
  const group = processGroup({ directory, temporary: true });
  await group.start("server", "sh", ["-c", program]);
  return group;
}

test("a program that is still loading isn't treated as ended", async () => {
  const group = await started(script.thatIsSlowToLoad);
  await group.requireAlive();
  await group.stop();
});

test("a program that has ended is reported with the end of its log", async () => {
  const group = await started(script.thatEndsAtOnce);
  await expect(group.requireAlive()).rejects.toThrow(/server has ended.*\nout of memory$/s);
  await group.stop();
});
