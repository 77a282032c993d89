/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "767539df90d84bf2cdf8b99d443a2395544b8c80228014ea657b29ff04ede64c";
