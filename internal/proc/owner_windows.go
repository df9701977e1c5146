package proc

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// OwnerDescriptor returns a security descriptor, as text, that lets only this user open an object.
func OwnerDescriptor() (string, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", fmt.Errorf("GetTokenInformation: %w", err)
	}
	return "D:P(A;;GA;;;" + user.User.Sid.String() + ")", nil
}

// OwnerOnly returns security attributes that let only this user open a new object.
func OwnerOnly() (*windows.SecurityAttributes, error) {
	text, err := OwnerDescriptor()
	if err != nil {
		return nil, err
	}
	descriptor, err := windows.SecurityDescriptorFromString(text)
	if err != nil {
		return nil, fmt.Errorf("security descriptor: %w", err)
	}
	attributes := &windows.SecurityAttributes{SecurityDescriptor: descriptor}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	return attributes, nil
}
