/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "c91c6f101e18a5517587bb2ecb5093b33c465184dec24f8ce6328fed613e384b";
