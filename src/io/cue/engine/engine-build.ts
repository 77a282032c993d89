/** The digest of the sources of the CUE engine. A native engine of other sources isn't used. */
export const engineSources = "2c0e63c155dbd1e399b96399baa51c9234a27922d132d629f02bdd7b0d1773b5";
