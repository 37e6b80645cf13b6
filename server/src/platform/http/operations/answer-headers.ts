// The headers an answer may carry and what they say.

type Described = { description: string; schema: object };

const text = { type: 'string' };

export const answerHeaders = {
  'X-Request-Id': { description: 'Names this request, for questions about it.', schema: text },
  RateLimit: {
    description: 'What is left of the limit, and in how many seconds it is whole again.',
    schema: text,
  },
  'RateLimit-Policy': { description: 'The limit that counts this request.', schema: text },
  'Retry-After': {
    description:
      'After how many seconds the same request can succeed. Present exactly when the error is retryable.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotent-Replayed': {
    description:
      'Present when the answer is the stored one of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': { description: 'How to present a credential.', schema: text },
  Location: {
    description: 'Where to go, or where to find what was made.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Set-Cookie': {
    description: 'Begins or ends the session, or binds a sign-in to this browser.',
    schema: text,
  },
  ETag: { description: 'Names this content; for If-None-Match and If-Range.', schema: text },
  'Content-Disposition': { description: 'The name of the file.', schema: text },
  'Content-Range': { description: 'Which part of the content this is.', schema: text },
  'Accept-Ranges': { description: 'Parts of the content can be asked for.', schema: text },
} satisfies Record<string, Described>;

export type AnswerHeader = keyof typeof answerHeaders;

/** What an answer sends; several values are sent as several headers of the name. */
export type AnswerHeaders = Record<string, string | string[]>;
