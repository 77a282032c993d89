import { appendFileSync } from "node:fs";

// A worker that was stopped is not asked again: each one that starts leaves a byte.
appendFileSync(process.env.QVS_TEST_WORKERS ?? "", "x");
await import("../../../../src/compile-worker.ts");
