/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "77b7417d60ca2cfc185c1ce25bc388264b184e7ca1433301638f50a64cc59199";
