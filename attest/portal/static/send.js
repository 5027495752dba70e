// Sends the form of the page at once; without scripts its button does.
"use strict";
document.getElementById("send").submit();
