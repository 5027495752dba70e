// Tells the LMS that its window may be closed.
"use strict";
(window.opener || window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");
