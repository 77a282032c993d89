/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "c84c03f5ec414a3cfa0b61f5c1ee0a530f5f0a909dc00faf36383514bfc5441a";
