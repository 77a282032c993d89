/** The digest of the sources of the CUE engine. A native engine of other sources isn't used. */
export const engineSources = "d3099f571595a3377f2968319330e19ff08362ca63b2dde298e642149f181016";
