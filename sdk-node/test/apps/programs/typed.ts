interface Answer {
  status: number;
  text: string;
}

const answer: Answer = { status: 200, text: "typed" };

export default { fetch: (_request: Request) => new Response(answer.text, { status: answer.status }) };
