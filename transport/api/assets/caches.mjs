// The search index and the cache of types.
import { html } from "./html.mjs";
import { state } from "./state.mjs";
import { bytes, duration, number, shown } from "./text.mjs";
import { Section, State } from "./parts.mjs";

const Fact = ({ name, children }) => html`<div><dt>${name}</dt><dd>${children}</dd></div>`;
const part = (share) => `${Math.round(100 * share)} %`;

export function Caches() {
  const search = state.index.get("search")?.search;
  const types = state.index.get("types")?.types;
  return html`<${Section} id="caches" title="Index and caches">
    <div class="pair">
      <div><h3>Search index</h3>${search ? html`<dl class="facts">
        <${Fact} name="State"><${State} of=${search.state} tone=${search.lastError ? "warn" : "good"} /><//>
        <${Fact} name="Tools">${number(search.toolsIndexed)}<//>
        <${Fact} name="With vectors">${number(search.cachedEmbeddings)}<//>
        <${Fact} name="From the file">${part(search.cacheHitRate)}<//>
        <${Fact} name="Queries">${number(search.queries)}<//>
        <${Fact} name="Indexing took">${duration(search.indexingMs)}<//>
        <${Fact} name="Model">${search.model ? `${shown(search.model)}${search.modelLoaded ? "" : ", not in memory"}` : "none"}<//>
        ${search.lastError && html`<${Fact} name="Last error">${shown(search.lastError)}<//>`}
      </dl>` : html`<p class="empty">Not known yet.</p>`}</div>
      <div><h3>Generated types</h3>${types ? html`<dl class="facts">
        <${Fact} name="Modules">${number(types.modules)}<//>
        <${Fact} name="Size">${bytes(types.bytes)}<//>
        <${Fact} name="Hits">${types.hits + types.misses === 0 ? "no request" : `${part(types.hits / (types.hits + types.misses))} of ${number(types.hits + types.misses)}`}<//>
        <${Fact} name="Generation">${number(types.generation)}<//>
      </dl>` : html`<p class="empty">Not known yet.</p>`}</div>
    </div>
  <//>`;
}
