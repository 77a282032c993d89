/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "4b4d286c0ebec76a70b4a60ea2cf9f12701bb0dcbaa6a4996ca9872b2de1faae";
