// pages iterates over the pages of a result. Each page is a call of the tool.
(host, internal) => {
  'use strict';

  const { argumentsText, inspect, parse, stringify } = internal;

  // place is the member of the arguments that asks for a page: '' is the first one.
  const place = 'toolscript/page';

  // copied are the arguments as they are now: those of all pages are equal, also if the script
  // changes the object.
  const copied = (args) => {
    const text = args === undefined ? '{}' : argumentsText(args);
    if (text === undefined || text[0] !== '{') throw new TypeError(`a tool's arguments are an object, not ${inspect(args, 0)}`);
    return parse(text);
  };

  const iterate = async function* (args, request, looped) {
    const seen = new Set();
    for (let next = ''; next !== undefined;) {
      const answer = await request({ ...args, [place]: next }) ?? {}; // a result without a value is one page
      seen.add(answer.self);
      yield answer.page;
      ({ next } = answer);
      if (next !== undefined && seen.has(next)) throw looped(seen.size, answer);
    }
  };
  Object.freeze(iterate.prototype);

  // pagesOf returns the method pages of a tool. request makes a call, and name is that of the
  // tool in scripts.
  internal.pagesOf = (name, has, request) => {
    const looped = (count, { server, tool }) => new internal.ToolError(
      `${name}.pages: the link after page ${count} leads to a page that was read before`,
      { server, tool, code: 'invalid_result', sent: 'yes', content: [], details: [] },
    );
    function pages(args) {
      if (!has()) throw new TypeError(`${name} has no pages; call ${name}(…) itself`);
      const at = new Error();
      return iterate(copied(args), (given) => request(given, at), looped);
    }
    return Object.freeze(pages);
  };
}
