// A GraphQL server for the tests: books and their authors.
import { createServer } from "node:http";
import { createRequire } from "node:module";

const require = createRequire(new URL("../package.json", import.meta.url));
const { createSchema, createYoga } = require("graphql-yoga");

const authors = [{ id: "a1", name: "Ada" }, { id: "a2", name: "Bo" }];
const books = [
  { id: "b1", title: "One", genre: "PROSE", pages: 100, author: "a1" },
  { id: "b2", title: "Two", genre: "VERSE", pages: null, author: "a2" },
];

const typeDefs = /* GraphQL */ `
  enum Genre { PROSE VERSE }
  scalar Date
  interface Node { id: ID! }
  "A person who writes."
  type Author implements Node { id: ID! name: String! books(first: Int = 1): [Book!]! secret(key: String!): String }
  type Book implements Node { id: ID! title: String! genre: Genre pages: Int author: Author! old: String @deprecated added(on: Date): Date }
  union Found = Book | Author
  input Filter { genre: Genre author: AuthorFilter and: [Filter!] }
  input AuthorFilter { name: String! }
  type Query {
    "The books that fit."
    books(filter: Filter, first: Int! = 10): [Book!]!
    book(id: ID!): Book
    node(id: ID!): Node
    find(text: String!): [Found!]!
    version: String!
    fail(message: String): String
    header: String
    same: Int
  }
  type Mutation {
    addBook(title: String!, genre: Genre, author: ID!): Book!
    same: Int
  }
`;

const resolvers = {
  Query: {
    books: (_, { filter, first }) => books.filter((b) => !filter?.genre || b.genre === filter.genre)
      .filter((b) => !filter?.author || authors.find((a) => a.id === b.author).name === filter.author.name).slice(0, first),
    book: (_, { id }) => books.find((b) => b.id === id) ?? null,
    node: (_, { id }) => [...books, ...authors].find((n) => n.id === id),
    find: (_, { text }) => [...books.filter((b) => b.title.includes(text)), ...authors.filter((a) => a.name.includes(text))],
    version: () => "1",
    fail: (_, { message }) => { throw new (require("graphql").GraphQLError)(message ?? "no"); },
    header: (_, __, { request }) => request.headers.get("x-token"),
    same: () => 1,
  },
  Mutation: {
    addBook: (_, { title, genre, author }) => { const b = { id: `b${books.length + 1}`, title, genre, pages: 1, author }; books.push(b); return b; },
    same: () => 2,
  },
  Book: { author: (b) => authors.find((a) => a.id === b.author), added: (_, { on }) => on ?? null },
  Author: { books: (a, { first }) => books.filter((b) => b.author === a.id).slice(0, first), secret: (_, { key }) => key },
  Node: { __resolveType: (n) => ("title" in n ? "Book" : "Author") },
  Found: { __resolveType: (n) => ("title" in n ? "Book" : "Author") },
};

// With the argument "closed", the server does not tell its schema.
const { NoSchemaIntrospectionCustomRule } = require("graphql");
const closed = { onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule) };
const plugins = process.argv[2] === "closed" ? [closed] : [];
const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false, plugins });
const server = createServer(yoga);
if (process.argv[2] === "sdl") {
  console.log(typeDefs);
  process.exit(0);
}
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/graphql`));
