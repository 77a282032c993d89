/** The digest of the sources of the CUE engine. A native engine of other sources isn't used. */
export const engineSources = "d2de2b88dc3bd8e2964864e52955e6bb464ce53d91af811cea7a308012d32786";
