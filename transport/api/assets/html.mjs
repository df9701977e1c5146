// The templates of the page. A value in a template becomes a text or an attribute, never HTML.
import { h, render } from "./preact.mjs";
import htm from "./htm.mjs";

export const html = htm.bind(h);
export { render };
