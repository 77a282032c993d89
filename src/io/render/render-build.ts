/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "091dbf5c0ce6d1957bab8a303c3bfafe9b5e35b4f67f72dbc4e67f07c5642bda";
