/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "199463458c451d1332b53edd3c7f9ca002e9f1fefb973b664820ad1f044c4655";
