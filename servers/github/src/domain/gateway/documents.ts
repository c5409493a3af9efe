/**
 * All GraphQL documents of this server, for what REST lacks. `followRenames: false`, because under a former name GitHub would
 * answer with a repository that was not admitted.
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
          comments(first: 100) {
            totalCount
            pageInfo { hasNextPage endCursor }
            nodes { databaseId author { login } authorAssociation createdAt body }
          }
        }
      }
    }
  }
}`;

/** More comments of a thread. */
export const THREAD_COMMENTS = `query($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { databaseId author { login } authorAssociation createdAt body }
      }
    }
  }
}`;

/** The first comment of a thread, which a reply must name. */
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

/** Adds a comment to a pending review. */
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

/** The repository of a node, for all kinds of nodes that our documents take. */
export const RESOLVE_NODE = `query($owner: String!, $repo: String!, $resolve: ID!) {
  repository(owner: $owner, name: $repo, followRenames: false) { nameWithOwner }
  node(id: $resolve) {
    ... on PullRequestReviewThread { pullRequest { repository { nameWithOwner } } }
    ... on PullRequestReview { pullRequest { repository { nameWithOwner } } }
    ... on PullRequest { repository { nameWithOwner } }
  }
}`;
