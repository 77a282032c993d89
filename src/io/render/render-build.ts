/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "8814555fddb3c7176da5a006f80bb5798afcc67eb9404e603ae754cd89509e89";
