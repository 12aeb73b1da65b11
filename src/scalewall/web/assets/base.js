"use strict";
/* What the other scripts share. */
(function () {
  const set = (id, props) => window.dash_clientside.set_props(id, props);

  function write(params, key, text) {
    if (text === null || text === undefined || text === "") params.delete(key);
    else params.set(key, text);
  }

  window.scalewall = {
    none: () => window.dash_clientside.no_update,
    set,
    put: (id, data) => set(id, { data }),
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    write,
    offer: (functions) => {
      window.dash_clientside = Object.assign({}, window.dash_clientside);
      window.dash_clientside.scalewall = Object.assign({}, window.dash_clientside.scalewall, functions);
    },
  };
})();
