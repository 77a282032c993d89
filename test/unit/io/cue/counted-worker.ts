import { appendFileSync } from "node:fs";

// Each worker that starts adds a byte, so that the test can count them.
appendFileSync(process.env.QVS_TEST_WORKERS ?? "", "x");
await import("../../../../src/compile-worker.ts");
