/**
 * Every GraphQL document of this server: REST has no word for these. Under a name that a repository had once, GitHub would show
 * one that nobody has admitted.
 */

export const REVIEW_THREADS = `query($owner: String!, $repo: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $repo, followRenames: false) {
    pullRequest(number: $number) {
      reviewThreads(first: $first, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          isOutdated
          path
          line
          originalLine
          comments(first: 50) {
            totalCount
            nodes { databaseId author { login } authorAssociation createdAt body }
          }
        }
      }
    }
  }
}`;

/** Replies are made to the first comment of a thread. */
export const THREAD_START = `query($id: ID!) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      pullRequest { number }
      comments(first: 1) { nodes { databaseId } }
    }
  }
}`;

export const RESOLVE_THREAD = `mutation($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { id isResolved } }
}`;

export const UNRESOLVE_THREAD = `mutation($id: ID!) {
  unresolveReviewThread(input: { threadId: $id }) { thread { id isResolved } }
}`;

/** Comments go to a review that is still pending. */
export const ADD_REVIEW_THREAD = `mutation($id: ID!, $body: String!, $path: String!, $line: Int, $startLine: Int, $startSide: DiffSide, $side: DiffSide, $subjectType: PullRequestReviewThreadSubjectType) {
  addPullRequestReviewThread(input: { pullRequestReviewId: $id, body: $body, path: $path, line: $line, startLine: $startLine, startSide: $startSide, side: $side, subjectType: $subjectType }) {
    thread { id }
  }
}`;

export const TO_DRAFT = `mutation($id: ID!) {
  convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

export const FROM_DRAFT = `mutation($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

/** Which repository a node is in, whatever kind of node it is that our documents take. */
export const RESOLVE_NODE = `query($owner: String!, $repo: String!, $resolve: ID!) {
  repository(owner: $owner, name: $repo, followRenames: false) { nameWithOwner }
  node(id: $resolve) {
    ... on PullRequestReviewThread { pullRequest { repository { nameWithOwner } } }
    ... on PullRequestReview { pullRequest { repository { nameWithOwner } } }
    ... on PullRequest { repository { nameWithOwner } }
  }
}`;
