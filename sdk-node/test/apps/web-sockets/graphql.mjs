// The recipe of graphql-ws for `ws`.
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: "Query",
    fields: { hello: { type: GraphQLString, resolve: () => "world" } },
  }),
  subscription: new GraphQLObjectType({
    name: "Subscription",
    fields: {
      greetings: {
        type: GraphQLString,
        subscribe: async function* () {
          for (const hi of ["Hi", "Bonjour", "Hola", "Ciao", "Zdravo"]) {
            yield { greetings: hi };
          }
        },
      },
    },
  }),
});

const server = new WebSocketServer({
  port: 4000,
  path: "/graphql",
});

useServer({ schema }, server);

console.log("Listening to port 4000");
