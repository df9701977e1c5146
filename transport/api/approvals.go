package api

import (
	"crypto/subtle"
	"errors"
	"net/http"

	"github.com/toolscript/toolscript"
)

// approverHeader is the header that holds the secret of an approver. The capability is not enough, because the
// plugin gives it to the commands of an agent.
const approverHeader = "Toolscript-Approver"

// errApprover is the error for a wrong approver secret.
var errApprover = &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New("this is not the secret of an approver of this gateway")}

// approvals answers GET /approvals.
func (s *Server) approvals(x *exchange) error {
	pending, err := s.backend.PendingApprovals(x.ctx)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, orEmpty(pending))
}

// approval answers GET /approvals/:id.
func (s *Server) approval(x *exchange) error {
	id, err := x.param("id")
	if err != nil {
		return err
	}
	request, err := s.backend.PendingApproval(x.ctx, id)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, request)
}

// answerApproval answers POST /approvals/:id. An answer that allows the call needs the
// secret of an approver, or the code of the request.
func (s *Server) answerApproval(x *exchange) error {
	id, err := x.param("id")
	if err != nil {
		return err
	}
	var answer toolscript.ApprovalAnswer
	if err := decode(x.body, &answer); err != nil {
		return err
	}
	approver := false
	if secret := x.c.Get(approverHeader); secret != "" {
		approver = s.approver != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(s.approver)) == 1
		if !approver {
			return errApprover
		}
	}
	if err := s.backend.AnswerApproval(x.ctx, id, answer, approver); err != nil {
		return err
	}
	x.c.Status(http.StatusNoContent)
	return nil
}

// Confirmation names the process that is about to answer a request for approval. It is
// the body of POST /approvals/:id/confirm.
type Confirmation struct {
	PID int `json:"pid"`
}

// confirmApproval answers POST /approvals/:id/confirm. The code goes to the terminal of
// the process, and not into the answer.
func (s *Server) confirmApproval(x *exchange) error {
	id, err := x.param("id")
	if err != nil {
		return err
	}
	var by Confirmation
	if err := decode(x.body, &by); err != nil {
		return err
	}
	if err := s.backend.ConfirmApproval(x.ctx, id, by.PID); err != nil {
		return err
	}
	x.c.Status(http.StatusNoContent)
	return nil
}
